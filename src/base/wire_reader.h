#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace coppice::base {

// One field of a protobuf message.
struct WireField {
  uint64_t number = 0;
  uint64_t integer = 0;    // Of varints and fixed numbers.
  std::string_view bytes;  // Of strings, bytes, messages and packed numbers.
  bool is_bytes = false;   // It came with a length.
};

// Takes a protobuf message apart. The bytes must outlive what it returns.
//
//   for (WireReader reader(message); !reader.done();) {
//     COPPICE_ASSIGN(const WireField field, reader.Next());
//     if (field.number == 1) name = field.bytes;
//   }
class WireReader {
 public:
  explicit WireReader(std::string_view message) : left_(message) {}

  bool done() const { return left_.empty(); }
  // InvalidArgument when the message is malformed; so is one with groups, which nothing writes.
  Result<WireField> Next();
  // One number of a packed field, whose bytes the reader was made with.
  Result<uint64_t> Varint();

 private:
  Result<std::string_view> Take(uint64_t size);
  Result<uint64_t> Fixed(size_t size);

  std::string_view left_;
};

}  // namespace coppice::base
