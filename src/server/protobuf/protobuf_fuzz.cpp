// Arbitrary bytes as a protobuf body: refused or an object, never a crash.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/protobuf/decode.h"
#include "server/protobuf/encode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  using coppice::server::DecodeProtobuf;
  (void)DecodeProtobuf(bytes).ok();
  // Past the envelope too, as a pod.
  std::string body("k8s\0\x0a\x09\x0a\x02v1\x12\x03Pod\x12", 16);
  for (size_t left = size;; left >>= 7) {
    body += static_cast<char>(left < 0x80 ? left : (left & 0x7f) | 0x80);
    if (left < 0x80) break;
  }
  // What could be read can be written.
  const auto pod = DecodeProtobuf(body.append(bytes));
  if (pod && !coppice::server::EncodeProtobuf(*pod)) std::abort();
  return 0;
}
