#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

namespace coppice::server {

struct ProtobufField {
  std::string_view name;  // "-": merged into the parent.
  std::string_view form;  // See field_table.h.
};

// Fields by number.
using ProtobufType = std::map<uint64_t, ProtobufField>;

// The table, read once. Null if there is no such entry.
const ProtobufType* FindProtobufType(std::string_view name);
const ProtobufType* FindProtobufKind(std::string_view api_version, std::string_view kind);

}  // namespace coppice::server
