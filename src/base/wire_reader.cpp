#include "base/wire_reader.h"

namespace coppice::base {

Result<WireField> WireReader::Next() {
  COPPICE_ASSIGN(const uint64_t tag, Varint());
  WireField field{.number = tag >> 3};
  switch (tag & 7) {
    case 0: {
      COPPICE_ASSIGN(field.integer, Varint());
      return field;
    }
    case 1: {
      COPPICE_ASSIGN(field.integer, Fixed(8));
      return field;
    }
    case 2: {
      COPPICE_ASSIGN(const uint64_t size, Varint());
      COPPICE_ASSIGN(field.bytes, Take(size));
      field.is_bytes = true;
      return field;
    }
    case 5: {
      COPPICE_ASSIGN(field.integer, Fixed(4));
      return field;
    }
  }
  return InvalidArgument("unknown protobuf wire type");
}

Result<uint64_t> WireReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return InvalidArgument("malformed protobuf number");
}

Result<std::string_view> WireReader::Take(uint64_t size) {
  if (size > left_.size()) return InvalidArgument("truncated protobuf message");
  const std::string_view taken = left_.substr(0, size);
  left_.remove_prefix(size);
  return taken;
}

Result<uint64_t> WireReader::Fixed(size_t size) {
  COPPICE_ASSIGN(const std::string_view bytes, Take(size));
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return value;
}

}  // namespace coppice::base
