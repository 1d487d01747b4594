#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::services {

// A one-line description of a flag; "" if unknown. A name means the same in every component.
std::string_view HelpOfFlag(std::string_view name);

// The flags of these components, one line each, with their defaults. Without those in the usage of
// `coppice run`.
std::string DescribeFlags(const std::vector<std::string>& components);

}  // namespace coppice::services
