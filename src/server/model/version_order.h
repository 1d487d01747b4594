#pragma once

#include <string_view>

namespace coppice::server {

// Orders the versions of an API group, best first: v2, v1, v1beta1, v1alpha2, …
bool IsBetterVersion(std::string_view a, std::string_view b);

}  // namespace coppice::server
