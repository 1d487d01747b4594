#include "api/cron_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/quote.h"

namespace coppice::api {
namespace {

std::vector<std::string_view> Split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t end = std::min(text.find(at), text.size());
    parts.push_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

base::Error NotANumber(std::string_view text, std::string_view why) {
  std::string quoted;
  base::AppendQuoted(text, quoted);
  return base::InvalidArgument(
      fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: {}", text, quoted, why));
}

base::Result<int64_t> ParseNumber(std::string_view text) {
  std::string_view digits = text;
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  int64_t number = 0;
  const char* end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, number);
  const bool signed_twice = digits.size() != text.size() && digits.starts_with('-');
  if (error == std::errc::invalid_argument || stopped != end || signed_twice) {
    return NotANumber(text, "invalid syntax");
  }
  if (error != std::errc()) return NotANumber(text, "value out of range");
  if (number < 0) {
    return base::InvalidArgument(fmt::format("negative number ({}) not allowed: {}", number, text));
  }
  return number;
}

base::Result<int64_t> ParseWord(const CronField& field, std::string_view text) {
  for (size_t i = 0; i < field.words.size(); ++i) {
    const auto same = [](char a, char b) { return std::tolower(a) == b; };
    if (std::equal(text.begin(), text.end(), field.words[i].begin(), field.words[i].end(), same)) {
      return field.min + static_cast<int64_t>(i);
    }
  }
  return ParseNumber(text);
}

struct Range {
  int64_t first, last, step = 1;
  bool any = false;
};

base::Result<Range> ParseRange(const CronField& field, std::string_view text) {
  const std::vector<std::string_view> stepped = Split(text, '/');
  const std::vector<std::string_view> ends = Split(stepped[0], '-');
  Range range{field.min, field.max};
  if (ends[0] == "*" || ends[0] == "?") {
    range.any = true;
  } else {
    COPPICE_ASSIGN(range.first, ParseWord(field, ends[0]));
    if (ends.size() > 2) return base::InvalidArgument(fmt::format("too many hyphens: {}", text));
    range.last = range.first;
    if (ends.size() == 2) {
      COPPICE_ASSIGN(range.last, ParseWord(field, ends[1]));
    }
  }
  if (stepped.size() == 1) return range;
  if (stepped.size() > 2) return base::InvalidArgument(fmt::format("too many slashes: {}", text));
  COPPICE_ASSIGN(range.step, ParseNumber(stepped[1]));
  if (ends.size() == 1) range.last = field.max;  // "5/10" continues to the end.
  if (range.step > 1) range.any = false;
  return range;
}

base::Status CheckRange(const CronField& field, const Range& range, std::string_view text) {
  if (range.first < field.min) {
    return base::InvalidArgument(fmt::format("beginning of range ({}) below minimum ({}): {}",
                                             range.first, field.min, text));
  }
  if (range.last > field.max) {
    return base::InvalidArgument(
        fmt::format("end of range ({}) above maximum ({}): {}", range.last, field.max, text));
  }
  if (range.first > range.last) {
    return base::InvalidArgument(fmt::format("beginning of range ({}) beyond end of range ({}): {}",
                                             range.first, range.last, text));
  }
  if (range.step > 0) return {};
  return base::InvalidArgument(fmt::format("step of range should be a positive number: {}", text));
}

}  // namespace

std::vector<std::string_view> SplitWords(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> words;
  for (size_t at = text.find_first_not_of(separators); at != text.npos;) {
    const size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return words;
}

base::Result<CronBits> ParseCronField(const CronField& field, std::string_view text) {
  CronBits bits;
  for (const std::string_view part : SplitWords(text, ",")) {
    COPPICE_ASSIGN(const Range range, ParseRange(field, part));
    COPPICE_TRY(CheckRange(field, range, part));
    for (int64_t i = range.first; i <= range.last; i += range.step) {
      bits.set.set(static_cast<size_t>(i));
    }
    bits.any |= range.any;
  }
  return bits;
}

}  // namespace coppice::api
