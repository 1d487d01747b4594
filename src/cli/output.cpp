#include "cli/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace coppice::cli {
namespace {

// Code points, not bytes: box-drawing characters take one column each.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

}  // namespace

base::Result<Format> ParseFormat(std::string_view text) {
  if (text.empty() || text == "text" || text == "table" || text == "wide") return Format::kText;
  if (text == "json") return Format::kJson;
  if (text == "yaml") return Format::kYaml;
  return base::InvalidArgument(
      fmt::format("unknown output format \"{}\"; use text, json or yaml", text));
}

std::string AlignColumns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Width(row[i]));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - Width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

std::string Number(double value) {
  if (std::trunc(value) == value && std::abs(value) < 1e15) {
    return fmt::format("{}", static_cast<int64_t>(value));
  }
  return fmt::format("{:.4g}", value);
}

}  // namespace coppice::cli
