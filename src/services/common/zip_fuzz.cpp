// Any bytes as a zip file, and any bytes in one: what is written comes back.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "services/common/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using coppice::services::ReadZipMember;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr size_t kLimit = 1 << 20;
  const auto member = ReadZipMember(bytes, "snapshot.json", kLimit);
  COPPICE_CHECK(!member || member->size() <= kLimit);
  const auto back = ReadZipMember(coppice::services::WriteZip("a", bytes), "a", kLimit);
  COPPICE_CHECK(back && *back == bytes);
  return 0;
}
