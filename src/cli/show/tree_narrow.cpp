// Reduces a tree to one of the things in it.
#include "api/edit/answers.h"
#include "api/view/answers.h"
#include "api/well_known.h"
#include "cli/show/tree_view.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace answers = view::answers;

class Narrowing {
 public:
  explicit Narrowing(const NamedObject& named) : named_(named) {}

  // Each returns whether something is left.
  bool Set(Value& set) const {
    const answers::TreeSet shown(set);
    if (Is(api::kPodCliqueSets, shown.name())) return true;
    Value kept = Value::Array();
    for (const answers::TreeGang gang : shown.gangs()) {
      Value own = gang.Json();
      if (Gang(own)) kept.Append(std::move(own));
    }
    const bool some = !kept.empty();
    edit::answers::TreeSet(set).set_gangs(std::move(kept));
    return some;
  }

  bool Group(Value& group) const {
    const answers::TreeGroup shown(group);
    if (shown.name() == named_.name && IsKind(shown.kind())) return true;
    for (const std::string_view each : shown.podGroups()) {
      if (Is(api::kPodGroups, each)) return true;
    }
    Value pods = Pods(shown.pods());
    const bool some = !pods.empty();
    edit::answers::TreeGroup(group).set_pods(std::move(pods));
    return some;
  }

 private:
  bool Is(const api::Resource& resource, std::string_view name) const {
    if (name != named_.name || !named_.other_kind.empty()) return false;
    return named_.kind == nullptr || named_.kind->resource == resource;
  }

  // Any kind of workload: "Job", "RayCluster".
  bool IsKind(std::string_view kind) const {
    if (named_.kind != nullptr) return named_.kind->resource.kind == kind;
    if (named_.other_kind.empty()) return true;
    const std::string_view word = named_.other_kind;
    const std::string_view singular = word.substr(0, word.find('.'));
    return std::equal(
        kind.begin(), kind.end(), singular.begin(), singular.end(),
        [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  }

  bool Gang(Value& gang) const {
    const answers::TreeGang shown(gang);
    if (Is(api::kPodGangs, shown.name())) return true;
    Value kept = Value::Array();
    for (const answers::TreeClique clique : shown.groups()) {
      Value own = clique.Json();
      if (Clique(own)) kept.Append(std::move(own));
    }
    const bool some = !kept.empty();
    edit::answers::TreeGang(gang).set_groups(std::move(kept));
    return some;
  }

  bool Clique(Value& clique) const {
    const answers::TreeClique shown(clique);
    if (Is(api::kPodCliques, shown.name())) return true;
    Value pods = Pods(shown.pods());
    const bool some = !pods.empty();
    edit::answers::TreeClique(clique).set_pods(std::move(pods));
    return some;
  }

  Value Pods(view::List<answers::TreePod> pods) const {
    Value kept = Value::Array();
    for (const answers::TreePod pod : pods) {
      if (Is(api::kPods, pod.name())) kept.Append(pod.Json());
    }
    return kept;
  }

  const NamedObject& named_;
};

}  // namespace

void NarrowTree(const NamedObject& named, Value& tree) {
  const Narrowing narrowing(named);
  const answers::Tree shown(tree);
  Value sets = Value::Array(), groups = Value::Array();
  for (const answers::TreeSet set : shown.sets()) {
    Value own = set.Json();
    if (narrowing.Set(own)) sets.Append(std::move(own));
  }
  for (const answers::TreeGroup group : shown.groups()) {
    Value own = group.Json();
    if (narrowing.Group(own)) groups.Append(std::move(own));
  }
  edit::answers::Tree(tree).set_sets(std::move(sets)).set_groups(std::move(groups));
}

}  // namespace coppice::cli
