#pragma once

#include <string>
#include <string_view>

namespace coppice::cli {

// The lines that differ between two texts, "-" before those of `left` alone and "+" before those of
// `right` alone, with one unchanged line around them (two blanks before it). "" when equal.
std::string LineDiff(std::string_view left, std::string_view right);

}  // namespace coppice::cli
