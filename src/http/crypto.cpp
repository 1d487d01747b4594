#include "http/crypto.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <zlib.h>

#include <array>

namespace coppice::http {
namespace {

constexpr char kHex[] = "0123456789abcdef";
constexpr std::string_view kStandard =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrlSafe =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string Hex(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) {
    text += kHex[byte >> 4];
    text += kHex[byte & 15];
  }
  return text;
}

std::string Encode(std::string_view bytes, std::string_view alphabet) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  uint32_t bits = 0;
  int count = 0;
  for (const unsigned char byte : bytes) {
    bits = bits << 8 | byte;
    count += 8;
    for (; count >= 6; count -= 6) text += alphabet[bits >> (count - 6) & 63];
  }
  if (count > 0) text += alphabet[bits << (6 - count) & 63];
  return text;
}

base::Result<std::string> Decode(std::string_view text, std::string_view alphabet) {
  std::array<int8_t, 256> values;
  values.fill(-1);
  for (size_t i = 0; i < 64; ++i) {
    values[static_cast<unsigned char>(alphabet[i])] = static_cast<int8_t>(i);
  }
  std::string bytes;
  bytes.reserve(text.size() * 3 / 4);
  uint32_t bits = 0;
  int count = 0;
  for (const unsigned char character : text) {
    if (values[character] < 0) return base::InvalidArgument("illegal base64 data");
    bits = bits << 6 | static_cast<uint32_t>(values[character]);
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  if (count >= 6) return base::InvalidArgument("truncated base64 data");
  return bytes;
}

}  // namespace

std::string Sha256(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  return std::string(reinterpret_cast<char*>(digest), size);
}

std::string Sha256Hex(std::string_view bytes) { return Hex(Sha256(bytes)); }

std::string Base64Encode(std::string_view bytes) {
  std::string text = Encode(bytes, kStandard);
  while (text.size() % 4 != 0) text += '=';
  return text;
}

base::Result<std::string> Base64Decode(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  if (text.size() % 4 != 0) return base::InvalidArgument("base64 data of a wrong length");
  for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  return Decode(text, kStandard);
}

std::string Base64UrlEncode(std::string_view bytes) { return Encode(bytes, kUrlSafe); }
base::Result<std::string> Base64UrlDecode(std::string_view text) { return Decode(text, kUrlSafe); }

std::string RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  COPPICE_CHECK(
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count)) == 1);
  return bytes;
}

std::string NewUuid() {
  std::string bytes = RandomBytes(16);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x40);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  std::string text = Hex(bytes);
  for (const size_t at : {8, 13, 18, 23}) text.insert(at, 1, '-');
  return text;
}

bool ConstantTimeEqual(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

std::string Gzip(std::string_view bytes, int level) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  COPPICE_CHECK(deflateInit2(&stream, level, Z_DEFLATED, kGzipWindow, 8, Z_DEFAULT_STRATEGY) ==
                Z_OK);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  COPPICE_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

base::Result<std::string> Gunzip(std::string_view bytes, size_t limit) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  COPPICE_CHECK(inflateInit2(&stream, kGzipWindow) == Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() <= limit) {
    const size_t filled = out.size();
    out.resize(filled + std::max<size_t>(4096, filled));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream.avail_out = static_cast<uInt>(out.size() - filled);
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (out.size() > limit) {
    return base::Error(base::ErrorCode::kTooLarge, "decompressed data is too large");
  }
  if (result != Z_STREAM_END) return base::InvalidArgument("damaged gzip data");
  return out;
}

}  // namespace coppice::http
