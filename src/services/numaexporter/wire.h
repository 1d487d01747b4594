#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"

// Protobuf's wire format, as much as reading a message takes.
namespace coppice::services::numaexporter {

struct WireField {
  uint32_t number = 0;
  uint64_t value = 0;      // Of a varint or fixed field.
  std::string_view bytes;  // Of a length-delimited field.
  bool is_bytes = false;
};

// Calls `visit` for every field; stops at the first error.
base::Status ForEachField(std::string_view message,
                          const std::function<base::Status(const WireField&)>& visit);
// A repeated integer comes packed or one by one.
base::Status ReadRepeatedNumber(const WireField& field, std::vector<int64_t>& out);

}  // namespace coppice::services::numaexporter
