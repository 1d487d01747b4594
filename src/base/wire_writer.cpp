#include "base/wire_writer.h"

#include <bit>

namespace coppice::base {
namespace {

enum WireType : uint64_t { kVarint = 0, kFixed64 = 1, kLengthDelimited = 2 };

}  // namespace

void WireWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) message_.push_back(static_cast<char>(value | 0x80));
  message_.push_back(static_cast<char>(value));
}

void WireWriter::AddVarint(uint64_t number, uint64_t value) {
  Varint(number << 3 | kVarint);
  Varint(value);
}

void WireWriter::AddDouble(uint64_t number, double value) {
  Varint(number << 3 | kFixed64);
  uint64_t bits = std::bit_cast<uint64_t>(value);
  for (int i = 0; i < 8; ++i, bits >>= 8) message_.push_back(static_cast<char>(bits));
}

void WireWriter::AddBytes(uint64_t number, std::string_view bytes) {
  Varint(number << 3 | kLengthDelimited);
  Varint(bytes.size());
  message_.append(bytes);
}

}  // namespace coppice::base
