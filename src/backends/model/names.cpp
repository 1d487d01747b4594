#include "backends/model/names.h"

#include <openssl/sha.h>

#include <algorithm>

namespace coppice::backends {
namespace {

constexpr size_t kHashDigits = 10;

std::string WithHash(std::string_view name, size_t limit) {
  std::string_view head = name.substr(0, limit - kHashDigits - 1);
  while (!head.empty() && (head.back() == '-' || head.back() == '.')) head.remove_suffix(1);
  return std::string(head) + "-" + HashHex(name, kHashDigits);
}

}  // namespace

std::string HashHex(std::string_view text, size_t digits) {
  unsigned char hash[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof hash);
  for (const unsigned char byte : hash) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 0x0f];
  }
  hex.resize(std::min(digits, hex.size()));
  return hex;
}

std::string Short(std::string_view name, size_t limit) {
  return name.size() <= limit ? std::string(name) : WithHash(name, limit);
}

std::string ShortLabel(std::string_view name, size_t limit) {
  if (name.find('.') == std::string_view::npos) return Short(name, limit);
  std::string label = WithHash(name, std::min(limit, name.size() + kHashDigits + 1));
  std::replace(label.begin(), label.end(), '.', '-');
  return label;
}

}  // namespace coppice::backends
