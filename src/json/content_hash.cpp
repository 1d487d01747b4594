#include "json/content_hash.h"

#include <algorithm>
#include <cstring>

namespace coppice::json {

void ContentHash::Add(std::string_view text) {
  Add(text.size());
  while (!text.empty()) {
    uint64_t word = 0;
    const size_t size = std::min(text.size(), sizeof word);
    std::memcpy(&word, text.data(), size);
    Add(word);
    text.remove_prefix(size);
  }
}

void ContentHash::Add(const Value& value) {
  Add(static_cast<uint64_t>(value.type()));
  switch (value.type()) {
    case Type::kNull:
      break;
    case Type::kBool:
      Add(uint64_t{value.AsBool()});
      break;
    case Type::kInt:
      Add(static_cast<uint64_t>(value.AsInt()));
      break;
    case Type::kDouble: {
      const double number = value.AsDouble();
      uint64_t word;
      std::memcpy(&word, &number, sizeof word);
      Add(word);
      break;
    }
    case Type::kString:
      Add(value.AsString());
      break;
    case Type::kArray:
      Add(uint64_t{value.size()});
      for (const Value& item : value.Items()) Add(item);
      break;
    case Type::kObject:
      Add(uint64_t{value.size()});
      for (const Member& member : value.Members()) {
        Add(member.name());
        Add(member.value);
      }
      break;
  }
}

}  // namespace coppice::json
