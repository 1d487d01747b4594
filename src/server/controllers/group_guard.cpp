#include "server/controllers/group_guard.h"

#include "kube/object.h"
#include "server/controllers/finalizers.h"
#include "server/kinds/checks/kinds.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

constexpr std::string_view kGroups = "scheduling.k8s.io/podgroups";

std::string_view GroupOf(const json::Value& pod) {
  return pod["spec"]["schedulingGroup"]["podGroupName"].AsString();
}

}  // namespace

GroupGuard::GroupGuard(Core& core)
    : core_(core), work_([this](const std::string& key) { return Process(key); }) {}

void GroupGuard::Observe(const std::string& storage, const store::Change& change) {
  const json::Value& object = change.current->value();
  if (storage == kGroups) {
    if (kube::IsDeleting(object)) work_.Add(change.current->name());
  } else if (storage == "/pods") {
    const std::string_view group = GroupOf(object);
    if (group.empty() || !(change.deleted || IsOver(object))) return;
    work_.Add(std::string(kube::Namespace(object)) + "/" + std::string(group));
  }
}

bool GroupGuard::IsNamed(const std::string& ns, const std::string& group) const {
  const auto pods = core_.store().List("/pods", {ns + "/"});
  if (!pods) return true;
  for (const store::VersionPtr& pod : pods->items) {
    if (GroupOf(pod->value()) == group && !IsOver(pod->value())) return true;
  }
  return false;
}

bool GroupGuard::Process(const std::string& key) {
  const store::VersionPtr found = core_.store().Get(kGroups, key);
  if (!found || !kube::IsDeleting(found->value())) return true;
  if (!kube::HasFinalizer(found->value(), kPodGroupProtection)) return true;
  const std::string ns(kube::Namespace(found->value())), name(kube::Name(found->value()));
  if (IsNamed(ns, name)) return true;
  return RemoveFinalizer(core_, found->value(), kPodGroupProtection,
                         "podgroup-protection-controller");
}

}  // namespace coppice::server
