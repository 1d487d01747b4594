#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace coppice::server {

// One field of a protobuf message.
struct WireField {
  uint64_t number = 0;
  uint64_t integer = 0;    // Of varints and fixed numbers.
  std::string_view bytes;  // Of strings, bytes and messages.
};

// Takes a protobuf message apart. The bytes must outlive what it returns.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : left_(message) {}

  bool done() const { return left_.empty(); }
  // InvalidArgument when the message is malformed.
  base::Result<WireField> Next();

 private:
  base::Result<uint64_t> Varint();
  base::Result<std::string_view> Take(uint64_t size);
  base::Result<uint64_t> Fixed(size_t size);

  std::string_view left_;
};

}  // namespace coppice::server
