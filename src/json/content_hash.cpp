#include "json/content_hash.h"

#include <cstring>

namespace coppice::json {

namespace {

template <typename Word>
uint64_t Load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// All of up to eight bytes. Two loads may overlap: a copy of as many as there are costs more.
uint64_t LoadFew(const char* from, size_t size) {
  if (size >= 4) return Load<uint32_t>(from) << 32 | Load<uint32_t>(from + size - 4);
  if (size == 0) return 0;
  return Load<uint8_t>(from) << 16 | Load<uint8_t>(from + size / 2) << 8 |
         Load<uint8_t>(from + size - 1);
}

}  // namespace

void ContentHash::Add(std::string_view text) {
  const char* from = text.data();
  size_t left = text.size();
  Add(uint64_t{left});
  for (; left > sizeof(uint64_t); from += sizeof(uint64_t), left -= sizeof(uint64_t)) {
    Add(Load<uint64_t>(from));
  }
  if (left > 0) Add(LoadFew(from, left));
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
