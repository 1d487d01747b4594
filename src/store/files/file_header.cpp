#include "store/files/file_header.h"

#include <fstream>

#include "store/files/big_endian.h"
#include "store/files/damage.h"

namespace coppice::store {
namespace {

constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr size_t kSchemaFormatAt = 44, kEncodingAt = 56, kMarkAt = 60, kIdentityAt = 68;
constexpr uint32_t kSchemaFormat = 4, kUtf8 = 1;
// How full a page may be: always the same.
constexpr std::string_view kFractions("\x40\x20\x20", 3);
constexpr size_t kFractionsAt = 21;
// Who writes and who reads it: 1 without, 2 with a write-ahead log.
constexpr size_t kVersionsAt = 18;

bool IsVersion(char version) { return version == 1 || version == 2; }

// 0: nothing was ever written to it.
bool IsNoneOr(uint32_t number, uint32_t expected) { return number == 0 || number == expected; }

}  // namespace

std::optional<FileHeader> ParseFileHeader(std::string_view page) {
  if (page.size() < kFileHeaderBytes || page.substr(0, kMagic.size()) != kMagic ||
      page.substr(kFractionsAt, kFractions.size()) != kFractions) {
    return std::nullopt;
  }
  if (!IsVersion(page[kVersionsAt]) || !IsVersion(page[kVersionsAt + 1]) ||
      !IsNoneOr(BigEndian32(page.data() + kSchemaFormatAt), kSchemaFormat) ||
      !IsNoneOr(BigEndian32(page.data() + kEncodingAt), kUtf8)) {
    return std::nullopt;
  }
  return FileHeader{BigEndian32(page.data() + kIdentityAt), BigEndian32(page.data() + kMarkAt)};
}

base::Result<std::optional<FileHeader>> ReadFileHeader(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(kFileHeaderBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<size_t>(file.gcount()));
  if (head.empty()) return std::optional<FileHeader>();
  const std::optional<FileHeader> header = ParseFileHeader(head);
  if (!header) return Damaged(path, "it does not begin like a database");
  return header;
}

}  // namespace coppice::store
