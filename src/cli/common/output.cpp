#include "cli/common/output.h"

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

// Multi-line messages would break the table.
std::string OneLine(const std::string& cell) {
  if (cell.find('\n') == std::string::npos) return cell;
  return fmt::format("{}", fmt::join(MessageLines(cell), " "));
}

}  // namespace

std::vector<std::string_view> MessageLines(std::string_view message) {
  std::vector<std::string_view> lines;
  while (!message.empty()) {
    const size_t end = std::min(message.find('\n'), message.size());
    const std::string_view line = message.substr(0, end);
    if (line.find_first_not_of(". ") != std::string_view::npos) {
      lines.push_back(line.substr(0, line.find_last_not_of(' ') + 1));
    }
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return lines;
}

base::Result<Format> ParseFormat(std::string_view text) {
  if (text.empty() || text == "text" || text == "table" || text == "wide") return Format::kText;
  if (text == "json") return Format::kJson;
  if (text == "yaml") return Format::kYaml;
  return base::InvalidArgument(
      fmt::format("unknown output format \"{}\"; use text, json or yaml", text));
}

std::string AlignColumns(std::vector<std::vector<std::string>> rows) {
  std::vector<size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = OneLine(row[i]);
      widths[i] = std::max(widths[i], Width(row[i]));
    }
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
