#include "cli/render/line_diff.h"

#include <vector>

namespace coppice::cli {
namespace {

using Lines = std::vector<std::string_view>;

Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
  }
  return lines;
}

// common[i][j]: the length of the longest common subsequence of lines from i and j on.
std::vector<std::vector<size_t>> CommonLines(const Lines& left, const Lines& right) {
  std::vector<std::vector<size_t>> common(left.size() + 1, std::vector<size_t>(right.size() + 1));
  for (size_t i = left.size(); i-- > 0;) {
    for (size_t j = right.size(); j-- > 0;) {
      common[i][j] = left[i] == right[j] ? common[i + 1][j + 1] + 1
                                         : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  return common;
}

struct Marked {
  char mark;  // ' ', '-' or '+'.
  std::string_view line;
};

std::vector<Marked> Mark(const Lines& left, const Lines& right) {
  const auto common = CommonLines(left, right);
  std::vector<Marked> marked;
  size_t i = 0, j = 0;
  while (i < left.size() || j < right.size()) {
    if (i < left.size() && j < right.size() && left[i] == right[j]) {
      marked.push_back({' ', left[i++]});
      ++j;
    } else if (j == right.size() || (i < left.size() && common[i + 1][j] >= common[i][j + 1])) {
      marked.push_back({'-', left[i++]});
    } else {
      marked.push_back({'+', right[j++]});
    }
  }
  return marked;
}

}  // namespace

std::string LineDiff(std::string_view left, std::string_view right) {
  const std::vector<Marked> marked = Mark(Split(left), Split(right));
  std::string out;
  for (size_t i = 0; i < marked.size(); ++i) {
    const bool changed = marked[i].mark != ' ';
    const bool beside = (i > 0 && marked[i - 1].mark != ' ') ||
                        (i + 1 < marked.size() && marked[i + 1].mark != ' ');
    if (!changed && !beside) continue;
    out += marked[i].mark;
    out += ' ';
    out += marked[i].line;
    out += '\n';
  }
  return out;
}

}  // namespace coppice::cli
