#pragma once

#include <bitset>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace coppice::api {

// One of the fields of a cron line.
struct CronField {
  int min, max;
  std::vector<std::string_view> words;  // For min, min + 1, …
};

struct CronBits {
  std::bitset<64> set;
  bool any = false;  // It says "*" or "?".
};

// Lists of "*", "5", "1-5", any of them with "/2".
base::Result<CronBits> ParseCronField(const CronField& field, std::string_view text);

// "a,b,,c" at ',': a, b, and c; what is empty is left out.
std::vector<std::string_view> SplitWords(std::string_view text, std::string_view separators);

}  // namespace coppice::api
