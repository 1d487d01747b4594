#pragma once

#include <string_view>

// Storage names of resources used in several files.
namespace coppice::server {

inline constexpr std::string_view kBudgets = "policy/poddisruptionbudgets";
inline constexpr std::string_view kClaims = "/persistentvolumeclaims";
inline constexpr std::string_view kQuotas = "/resourcequotas";

}  // namespace coppice::server
