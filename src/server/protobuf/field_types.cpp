#include "server/protobuf/field_types.h"

#include <charconv>

#include "server/protobuf/field_table.h"

namespace coppice::server {
namespace {

struct Types {
  std::unordered_map<std::string_view, ProtobufType> types;
  std::map<std::pair<std::string_view, std::string_view>, std::string_view> kinds;
};

std::string_view NextWord(std::string_view& text) {
  const size_t begin = text.find_first_not_of(" \n");
  if (begin == text.npos) return text = {};
  const size_t end = std::min(text.find_first_of(" \n", begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

void AddFieldType(std::string_view word, ProtobufType& type) {
  const size_t first = word.find(':');
  const size_t second = word.find(':', first + 1);
  uint64_t number = 0;
  std::from_chars(word.data(), word.data() + first, number);
  type[number] = {word.substr(first + 1, second - first - 1), word.substr(second + 1)};
}

Types ReadTable() {
  Types read;
  std::string_view text = ProtobufFieldTable();
  ProtobufType* type = nullptr;
  for (std::string_view word = NextWord(text); !word.empty(); word = NextWord(text)) {
    if (word == "kind") {
      const std::string_view api_version = NextWord(text);
      const std::string_view kind = NextWord(text);
      read.kinds[{api_version, kind}] = NextWord(text);
    } else if (word == "type") {
      type = &read.types[NextWord(text)];
    } else {
      AddFieldType(word, *type);
    }
  }
  return read;
}

const Types& Table() {
  static const Types types = ReadTable();
  return types;
}

}  // namespace

const ProtobufType* FindProtobufType(std::string_view name) {
  const auto found = Table().types.find(name);
  return found == Table().types.end() ? nullptr : &found->second;
}

const ProtobufType* FindProtobufKind(std::string_view api_version, std::string_view kind) {
  // Clients write a delete's options in the version of what they delete.
  if (kind == "DeleteOptions") api_version = "v1";
  const auto found = Table().kinds.find({api_version, kind});
  return found == Table().kinds.end() ? nullptr : FindProtobufType(found->second);
}

}  // namespace coppice::server
