#include "services/common/zip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace coppice::services {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kCentralHeader = 0x02014b50;
constexpr uint32_t kEndHeader = 0x06054b50;
constexpr size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr uint16_t kStored = 0, kDeflated = 8;

base::Error Damaged(std::string_view what) {
  return base::InvalidArgument(fmt::format("the zip file is damaged: {}", what));
}

// Little-endian reads; out of range reads as zero, which fails the checks that follow.
uint64_t Number(std::string_view bytes, size_t at, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size && at + i < bytes.size(); ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

void Put(uint64_t value, size_t size, std::string& out) {
  for (size_t i = 0; i < size; ++i, value >>= 8) out += static_cast<char>(value & 0xff);
}

struct Entry {
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0;
  uint64_t size = 0;
  uint64_t offset = 0;
};

base::Result<size_t> FindEnd(std::string_view zip) {
  if (zip.size() < kEndSize) return Damaged("it is too short");
  for (size_t at = zip.size() - kEndSize + 1; at-- > 0;) {
    if (Number(zip, at, 4) == kEndHeader) return at;
  }
  return Damaged("it has no directory");
}

base::Result<Entry> FindEntry(std::string_view zip, std::string_view name) {
  COPPICE_ASSIGN(const size_t end, FindEnd(zip));
  const uint64_t count = Number(zip, end + 10, 2);
  uint64_t at = Number(zip, end + 16, 4);
  for (uint64_t i = 0; i < count; ++i) {
    if (at + kCentralSize > zip.size() || Number(zip, at, 4) != kCentralHeader) {
      return Damaged("its directory is not readable");
    }
    const uint64_t name_size = Number(zip, at + 28, 2);
    if (zip.substr(at + kCentralSize, name_size) == name) {
      return Entry{static_cast<uint16_t>(Number(zip, at + 8, 2)),
                   static_cast<uint16_t>(Number(zip, at + 10, 2)),
                   static_cast<uint32_t>(Number(zip, at + 16, 4)),
                   Number(zip, at + 20, 4),
                   Number(zip, at + 24, 4),
                   Number(zip, at + 42, 4)};
    }
    at += kCentralSize + name_size + Number(zip, at + 30, 2) + Number(zip, at + 32, 2);
  }
  return base::NotFound(fmt::format("the zip file has no member {}", name));
}

base::Result<std::string> Inflate(std::string_view packed, size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return base::Internal("zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = inflate(&stream, Z_FINISH);
  const bool complete = result == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!complete) return Damaged("its member does not unpack");
  return out;
}

std::string Deflate(std::string_view content) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

uint32_t Crc(std::string_view content) {
  return static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
}

// What local and central headers have in common: from "version needed" to "extra length".
std::string CommonHeader(std::string_view name, std::string_view content, size_t packed) {
  std::string out;
  Put(20, 2, out);
  Put(0, 2, out);
  Put(kDeflated, 2, out);
  Put(0, 2, out);     // Time.
  Put(0x21, 2, out);  // Date: 1980-01-01, so that equal content gives equal bytes.
  Put(Crc(content), 4, out);
  Put(packed, 4, out);
  Put(content.size(), 4, out);
  Put(name.size(), 2, out);
  Put(0, 2, out);
  return out;
}

}  // namespace

base::Result<std::string> ReadZipMember(std::string_view zip, std::string_view name,
                                        size_t max_size) {
  COPPICE_ASSIGN(const Entry entry, FindEntry(zip, name));
  if ((entry.flags & 1) != 0) return base::Unimplemented("the zip file is encrypted");
  if (entry.size > max_size) {
    return base::Error(base::ErrorCode::kTooLarge, "the zip file's member is too large");
  }
  if (Number(zip, entry.offset, 4) != kLocalHeader) return Damaged("its member is not readable");
  const uint64_t data = entry.offset + kLocalSize + Number(zip, entry.offset + 26, 2) +
                        Number(zip, entry.offset + 28, 2);
  if (data > zip.size() || entry.packed > zip.size() - data) return Damaged("it is cut short");
  const std::string_view packed = zip.substr(data, entry.packed);
  if (entry.method != kStored && entry.method != kDeflated) {
    return base::Unimplemented(fmt::format("compression method {} is not known", entry.method));
  }
  // Nothing packs better than about 1:1032, so a larger claim is not worth the memory.
  if (entry.size / 1033 > entry.packed) return Damaged("its member's size cannot be true");
  std::string content;
  if (entry.method == kStored) {
    content = packed;
  } else {
    COPPICE_ASSIGN(content, Inflate(packed, entry.size));
  }
  if (Crc(content) != entry.crc) return Damaged("its checksum is wrong");
  return content;
}

std::string WriteZip(std::string_view name, std::string_view content) {
  const std::string packed = Deflate(content);
  const std::string common = CommonHeader(name, content, packed.size());
  std::string out;
  Put(kLocalHeader, 4, out);
  out += common;
  out += name;
  out += packed;
  const size_t directory = out.size();
  Put(kCentralHeader, 4, out);
  Put(20, 2, out);
  out += common;
  Put(0, 14, out);  // Comment, disk, attributes, and the offset of the one member: 0.
  out += name;
  const size_t directory_size = out.size() - directory;
  Put(kEndHeader, 4, out);
  Put(0, 4, out);
  Put(1, 2, out);
  Put(1, 2, out);
  Put(directory_size, 4, out);
  Put(directory, 4, out);
  Put(0, 2, out);
  return out;
}

}  // namespace coppice::services
