#include "cli/common/find_object.h"

#include <fmt/format.h>

#include <vector>

#include "cli/common/resource_words.h"

namespace coppice::cli {
namespace {

base::Result<FoundObject> FindOfKind(kube::Client& client, const std::string& ns,
                                     const ResourceWord& kind, const std::string& name) {
  const std::string where = kind.resource.namespaced ? ns : "";
  auto object = client.Get(kind.resource, {where, name});
  if (object) return FoundObject{kind.resource, *std::move(object)};
  if (!object.Is(base::ErrorCode::kNotFound)) return object.error();
  return base::NotFound(
      fmt::format("there is no {} called \"{}\"{}", kind.name, name,
                  where.empty() ? "" : fmt::format(" in namespace {}; -n chooses another", where)));
}

base::Error Ambiguous(const std::string& name, const std::vector<FoundObject>& found) {
  std::vector<std::string> names;
  for (const FoundObject& each : found) names.push_back(ResourceName(each.resource, name));
  return base::InvalidArgument(
      fmt::format("\"{}\" has more than one meaning; say {}", name, fmt::join(names, " or ")));
}

}  // namespace

base::Result<FoundObject> FindObject(kube::Client& client, const std::string& ns,
                                     const std::string& target) {
  COPPICE_ASSIGN(const NamedObject named, ParseNamedObject(target));
  if (named.kind != nullptr) return FindOfKind(client, ns, *named.kind, named.name);
  if (!named.other_kind.empty()) {
    return base::InvalidArgument(
        fmt::format("\"{}\" is no kind that this command knows; use set, gang, clique, group, pod, "
                    "job, cronjob, deployment, statefulset or replicaset",
                    named.other_kind));
  }
  std::vector<FoundObject> found;
  for (const ResourceWord& kind : ResourceWords()) {
    if (!kind.resource.namespaced) continue;
    auto object = client.Get(kind.resource, {ns, named.name});
    // What a user may not read cannot be what is meant.
    const bool none =
        object.Is(base::ErrorCode::kNotFound) || object.Is(base::ErrorCode::kForbidden);
    if (none) continue;
    if (!object) return object.error();
    found.push_back({kind.resource, *std::move(object)});
  }
  if (found.size() == 1) return std::move(found.front());
  if (!found.empty()) return Ambiguous(named.name, found);
  return base::NotFound(fmt::format(
      "nothing is called \"{}\" in namespace {}; coppice tree shows what there is, and -n "
      "chooses another namespace",
      named.name, ns));
}

}  // namespace coppice::cli
