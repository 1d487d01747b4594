#include "server/model/version_order.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace coppice::server {
namespace {

// Names have up to 63 characters, so a number may be larger than any type: all such are equal.
int64_t TakeNumber(std::string_view& text) {
  constexpr int64_t kLargest = 1'000'000'000;
  int64_t number = 0;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    number = std::min(kLargest, number * 10 + text[0] - '0');
    text.remove_prefix(1);
  }
  return number;
}

bool TakeWord(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// {maturity, major, minor}: GA above beta above alpha, then higher numbers first.
std::tuple<int, int64_t, int64_t> Rank(std::string_view version) {
  if (!version.empty()) version.remove_prefix(1);
  const int64_t major = TakeNumber(version);
  const int maturity = TakeWord(version, "alpha") ? 0 : TakeWord(version, "beta") ? 1 : 2;
  return {maturity, major, TakeNumber(version)};
}

}  // namespace

bool IsBetterVersion(std::string_view a, std::string_view b) { return Rank(a) > Rank(b); }

}  // namespace coppice::server
