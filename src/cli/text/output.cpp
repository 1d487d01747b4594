#include "cli/text/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/text/terminal.h"

namespace coppice::cli {
namespace {

constexpr size_t kBetween = 2;  // Columns between two cells.
constexpr size_t kLeast = 8;    // A column is not cut to less.

// Multi-line messages would break the table.
std::string OneLine(const std::string& cell) {
  if (cell.find('\n') == std::string::npos) return cell;
  return fmt::format("{}", fmt::join(MessageLines(cell), " "));
}

std::vector<size_t> WidthsOf(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], TextWidth(row[i]));
  }
  return widths;
}

// Cuts the first or last column so that the lines fit into `width`, as far as it can.
void NarrowColumn(std::vector<std::vector<std::string>>& rows, bool first, size_t width) {
  const std::vector<size_t> widths = WidthsOf(rows);
  if (widths.empty()) return;
  size_t total = kBetween * (widths.size() - 1);
  for (const size_t each : widths) total += each;
  const size_t column = first ? 0 : widths.size() - 1;
  if (total <= width) return;
  const size_t room = widths[column] - std::min(widths[column], total - width);
  for (auto& row : rows) {
    if (row.size() > column) row[column] = CutText(row[column], std::max(room, kLeast));
  }
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
  if (text.empty() || text == "text" || text == "table") return Format::kText;
  if (text == "wide") return Format::kWide;
  if (text == "name") return Format::kName;
  if (text == "json") return Format::kJson;
  if (text == "yaml") return Format::kYaml;
  return base::InvalidArgument(
      fmt::format("unknown output format \"{}\"; use wide, json, yaml or name", text));
}

std::string AlignColumns(std::vector<std::vector<std::string>> rows, size_t width) {
  for (auto& row : rows) {
    for (std::string& cell : row) cell = OneLine(cell);
  }
  if (width > 0) NarrowColumn(rows, false, width);
  if (width > 0) NarrowColumn(rows, true, width);
  const std::vector<size_t> widths = WidthsOf(rows);
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - TextWidth(row[i]) + kBetween, ' ');
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
