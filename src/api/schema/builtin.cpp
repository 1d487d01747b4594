#include "api/schema/builtin.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/schema/publish.h"
#include "api/schema/table_reader.h"

namespace coppice::api {
namespace {

// Groups of the tables whose API group is not "<name>.k8s.io".
constexpr std::pair<std::string_view, std::string_view> kGroups[] = {
    {"core", ""},         {"apps", "apps"},
    {"batch", "batch"},   {"autoscaling", "autoscaling"},
    {"policy", "policy"}, {"rbac", "rbac.authorization.k8s.io"},
};

}  // namespace

std::string ApiVersionOfTable(std::string_view group) {
  const size_t slash = group.find('/');
  const std::string_view name = group.substr(0, slash);
  const std::string_view version = group.substr(slash + 1);
  const auto* known = std::ranges::find(kGroups, name, [](const auto& pair) { return pair.first; });
  if (known == std::end(kGroups)) return fmt::format("{}.k8s.io/{}", name, version);
  return known->second.empty() ? std::string(version)
                               : fmt::format("{}/{}", known->second, version);
}

const BuiltinTypes& BuiltinTypes::For(int minor) {
  static const std::array<const BuiltinTypes*, kNewest - kOldest + 1> all = [] {
    std::array<const BuiltinTypes*, kNewest - kOldest + 1> made{};
    for (int i = 0; i < static_cast<int>(made.size()); ++i) {
      auto* types = new BuiltinTypes();  // Lives as long as the process.
      TableReader(kOldest + i, *types).ReadAll();
      made[static_cast<size_t>(i)] = types;
    }
    return made;
  }();
  return *all[static_cast<size_t>(std::clamp(minor, kOldest, kNewest) - kOldest)];
}

const Schema* BuiltinTypes::FindType(std::string_view name) const {
  const auto found = types_.find(name);
  return found == types_.end() ? nullptr : found->second;
}

const Schema* BuiltinTypes::FindKind(std::string_view api_version, std::string_view kind) const {
  const auto found = std::ranges::find_if(
      kinds_, [&](const Kind& k) { return k.kind == kind && k.api_version == api_version; });
  return found == kinds_.end() ? nullptr : found->schema;
}

json::Value BuiltinSchema(std::string_view type) {
  const Schema* schema = BuiltinTypes::For(BuiltinTypes::kOldest).FindType(type);
  return schema == nullptr ? json::Value() : StructuralSchema(*schema);
}

}  // namespace coppice::api
