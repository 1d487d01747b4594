#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace coppice::base {

// Puts a protobuf message together.
class WireWriter {
 public:
  void AddVarint(uint64_t number, uint64_t value);
  void AddDouble(uint64_t number, double value);
  // A string, bytes or a message.
  void AddBytes(uint64_t number, std::string_view bytes);

  bool empty() const { return message_.empty(); }
  std::string Take() { return std::move(message_); }

 private:
  void Varint(uint64_t value);

  std::string message_;
};

}  // namespace coppice::base
