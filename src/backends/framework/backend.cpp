#include "backends/framework/backend.h"

#include "api/view/core.h"
#include "api/well_known.h"
#include "backends/framework/registry.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

// A profile's name is its backend's id, a schedulerName that the backend knows, or a schedulerName
// that only the profile defines.
bool IsListed(const SchedulerBackend& backend, const Profile& profile, std::string_view name) {
  for (const std::string& listed : profile.SchedulerNames()) {
    if (listed == name) return true;
  }
  return name == profile.name && name != backend.name() && FindBuiltIn(name) == nullptr;
}

}  // namespace

bool Serves(const SchedulerBackend& backend, const Profile& profile,
            std::string_view scheduler_name) {
  return IsListed(backend, profile, scheduler_name) || backend.Matches(scheduler_name);
}

std::string SchedulerNameFor(const SchedulerBackend& backend, const Profile& profile,
                             std::string_view scheduler_name) {
  const std::string_view name = scheduler_name.empty() ? profile.name : scheduler_name;
  return IsListed(backend, profile, name) ? std::string(name) : backend.PodSchedulerName(name);
}

std::vector<json::Value> ClusterView::OwnedBy(const api::Resource& resource,
                                              std::string_view uid) const {
  std::vector<json::Value> owned;
  for (json::Value& object : List(resource)) {
    if (kube::IsOwnedBy(object, uid)) owned.push_back(std::move(object));
  }
  return owned;
}

std::vector<json::Value> ClusterView::GangPods(std::string_view ns, std::string_view gang) const {
  std::vector<json::Value> pods;
  for (json::Value& pod : List(api::kPods)) {
    if (kube::Namespace(pod) != ns || kube::Label(pod, labels::kPodGang) != gang) continue;
    pods.push_back(std::move(pod));
  }
  return pods;
}

std::vector<json::Value> ClusterView::ApplicationPods(std::string_view ns,
                                                      std::string_view application) const {
  std::vector<json::Value> pods;
  for (json::Value& pod : List(api::kPods)) {
    if (kube::Namespace(pod) != ns || kube::Label(pod, labels::kApplication) != application) {
      continue;
    }
    pods.push_back(std::move(pod));
  }
  return pods;
}

std::vector<json::Value> ClusterView::EventsAbout(std::string_view uid) const {
  std::vector<json::Value> found;
  for (json::Value& event : List(api::kEvents)) {
    if (view::core::Event(event).involvedObject().uid() == uid) found.push_back(std::move(event));
  }
  return found;
}

bool ClusterView::AnyNode() const { return !List(api::kNodes).empty(); }

bool ClusterView::AnyNodeHasLabel(std::string_view key) const {
  const std::vector<json::Value> nodes = List(api::kNodes);
  if (nodes.empty()) return true;
  for (const json::Value& object : nodes) {
    const view::core::Node node(object);
    if (node.metadata().labels().Has(key) && !node.spec().unschedulable()) return true;
  }
  return false;
}

Signals SchedulerBackend::ReadSignals(const GangInput&, std::span<const json::Value>,
                                      std::span<const json::Value>) const {
  return {};
}

std::vector<DesiredObject> SchedulerBackend::TranslateTopology(const GangInput&,
                                                               const json::Value&) const {
  return {};
}

std::vector<base::FieldCause> SchedulerBackend::ValidateSet(const GangInput&) const { return {}; }

}  // namespace coppice::backends
