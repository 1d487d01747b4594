#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace coppice::services {

// What a flag does, in a line; "" for one that is not known. A name means the same in every
// component.
std::string_view HelpOfFlag(std::string_view name);

// The flags of these components, a line each, with what holds where they are not given. Without
// those that `coppice run` explains itself.
std::string DescribeFlags(const std::vector<std::string>& components);

}  // namespace coppice::services
