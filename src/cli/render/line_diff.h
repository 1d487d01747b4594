#pragma once

#include <string>
#include <string_view>

namespace coppice::cli {

// The differing lines of two texts, with "-" before those only in `left` and "+" before those only
// in `right`, and one line of context (indented by two blanks). "" if they are equal.
std::string LineDiff(std::string_view left, std::string_view right);

}  // namespace coppice::cli
