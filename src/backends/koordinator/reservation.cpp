#include "backends/koordinator/reservation.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/edit/koordinator.h"
#include "api/view/core.h"
#include "backends/framework/pods.h"
#include "backends/koordinator/koordinator.h"
#include "backends/model/labels.h"
#include "backends/model/names.h"
#include "kube/object.h"

namespace coppice::backends::koordinator {
namespace {

using json::Value;

// Pods whose places are worth reserving: those of another gang, or our own terminating ones.
bool LeavesAPlace(const GangInput& input, const Value& pod) {
  if (!IsBound(pod)) return false;
  return input.gang.reuse_reservation->name != input.gang.name || kube::IsDeleting(pod);
}

DesiredObject MakeReservation(const GangInput& input, const PodGroupInfo& role, const Value& pod) {
  const std::string name = Short(
      fmt::format("{}-{}-{}", input.gang.ns, input.gang.name, kube::Name(pod)), kObjectNameLimit);
  Value object = kube::NewObject(kReservations, "", name);
  const auto spec = edit::koordinator::Reservation(object).spec();
  spec.set_allocateOnce(true).set_ttl(Or(input.profile.Config().reservationTTL(), "10m"));
  spec.template_().set_spec(role.pod_spec);
  spec.template_().spec().set_nodeName(view::core::Pod(pod).spec().nodeName());
  spec.add_owners()
      .labelSelector()
      .matchLabels()
      .Set(labels::kPodGang, input.gang.name)
      .Set(labels::kPodClique, role.name);
  // A namespaced gang cannot own a cluster-scoped object; the label and the ttl replace the owner
  // reference.
  return {.resource = kReservations, .object = std::move(object), .owned = false};
}

}  // namespace

std::vector<DesiredObject> MakeReservations(const GangInput& input) {
  std::vector<DesiredObject> reservations;
  if (!input.gang.reuse_reservation || !input.cluster) return reservations;
  if (!input.profile.Config().reservations()) return reservations;
  if (!input.capabilities->Serves(kReservations)) return reservations;
  const NamespacedName& former = *input.gang.reuse_reservation;
  if (former.ns != input.gang.ns) return reservations;
  for (const Value& pod : input.cluster->GangPods(former.ns, former.name)) {
    if (!LeavesAPlace(input, pod)) continue;
    std::string role(kube::Label(pod, labels::kPodClique));
    if (role.starts_with(former.name)) role = input.gang.name + role.substr(former.name.size());
    const PodGroupInfo* group = input.gang.FindGroup(role);
    if (group == nullptr || !group->pod_spec.IsObject()) continue;
    reservations.push_back(MakeReservation(input, *group, pod));
  }
  return reservations;
}

}  // namespace coppice::backends::koordinator
