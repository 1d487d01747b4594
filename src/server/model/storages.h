#pragma once

#include <string_view>

// The store's names of resources that several files look at.
namespace coppice::server {

inline constexpr std::string_view kBudgets = "policy/poddisruptionbudgets";
inline constexpr std::string_view kClaims = "/persistentvolumeclaims";
inline constexpr std::string_view kQuotas = "/resourcequotas";

}  // namespace coppice::server
