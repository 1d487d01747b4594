#include "page/facts/owner_facts.h"

#include "api/foreign/names.h"
#include "api/grove/pod_gang.h"
#include "api/kai/names.h"
#include "api/labels.h"
#include "api/view/batch.h"
#include "api/view/grove.h"
#include "api/view/kai.h"
#include "api/view/kueue.h"
#include "kube/object.h"
#include "page/facts/amounts.h"
#include "page/facts/pod_facts.h"
#include "page/facts/workload_id.h"

namespace coppice::page {
namespace {

OwnerFacts Common(const json::Value& object) {
  OwnerFacts out;
  out.created = SecondsOf(kube::Metadata(object).creationTimestamp());
  out.deleting = kube::IsDeleting(object);
  out.queue = kube::Label(object, api::kai::names::kQueueLabel);
  out.local_queue = kube::Label(object, api::foreign::kKueueQueueName);
  return out;
}

// Its first owner, unless that is a ReplicaSet, which stands for a Deployment.
std::string FirstOwner(const json::Value& object) {
  const view::meta::OwnerReference owner = kube::Metadata(object).ownerReferences().At(0);
  if (owner.name().empty() || owner.kind() == "ReplicaSet") return "";
  return WorkloadId{std::string(kube::Namespace(object)), std::string(owner.kind()),
                    std::string(owner.name())}
      .ToString();
}

std::string SetIn(const json::Value& object) {
  const std::string_view set = kube::Label(object, api::labels::kPartOf);
  if (set.empty()) return FirstOwner(object);
  return WorkloadId{std::string(kube::Namespace(object)), "PodCliqueSet", std::string(set)}
      .ToString();
}

void AddCondition(view::meta::Condition condition, OwnerFacts& out) {
  if (condition.status() != "False") return;
  out.reason = condition.reason();
  out.message = condition.message();
}

}  // namespace

OwnerFacts ReadSet(const json::Value& set) {
  OwnerFacts out = Common(set);
  out.suspended = view::grove::PodCliqueSet(set).spec().replicas(1) == 0;
  return out;
}

OwnerFacts ReadGang(const json::Value& object) {
  OwnerFacts out = Common(object);
  out.owner = SetIn(object);
  for (const view::grove::PodGroup group : view::grove::PodGang(object).spec().podgroups()) {
    out.min += group.minReplicas();
  }
  for (const auto type : {api::grove::kGangScheduled, api::grove::kGangBackendSynced}) {
    AddCondition(view::meta::Condition(kube::Condition(object, type)), out);
  }
  return out;
}

OwnerFacts ReadGroup(const json::Value& object) {
  const view::kai::PodGroup group(object);
  OwnerFacts out = Common(object);
  out.owner = FirstOwner(object);
  out.queue = group.spec().queue();
  out.min = group.spec().minMember(1);
  for (const view::kai::SchedulingCondition condition : group.status().schedulingConditions()) {
    out.reason = condition.reason();
    out.message = condition.message();
  }
  return out;
}

OwnerFacts ReadJob(const json::Value& object) {
  const view::batch::Job job(object);
  OwnerFacts out = Common(object);
  out.owner = FirstOwner(object);
  out.suspended = job.spec().suspend();
  out.done = kube::ConditionIs(object, "Complete", "True");
  out.failed = kube::ConditionIs(object, "Failed", "True");
  const int64_t pods = std::min(job.spec().parallelism(1), job.spec().completions(INT32_MAX));
  out.asked = AmountsOf(job.spec().template_().spec()).gpus * static_cast<double>(pods);
  return out;
}

OwnerFacts ReadKueueWorkload(const json::Value& object) {
  const view::kueue::Workload workload(object);
  OwnerFacts out = Common(object);
  out.owner = FirstOwner(object);
  out.local_queue = workload.spec().queueName();
  out.queue = workload.status().admission().clusterQueue();
  for (const view::kueue::PodSet set : workload.spec().podSets()) {
    out.min += set.count();
    out.asked += AmountsOf(set.template_().spec()).gpus * static_cast<double>(set.count());
  }
  out.done = kube::ConditionIs(object, "Finished", "True");
  if (kube::ConditionIs(object, "Admitted", "True") || out.done) return out;
  out.suspended = true;
  const view::meta::Condition reserved(kube::Condition(object, "QuotaReserved"));
  out.reason = reserved.reason().empty() ? "NotAdmitted" : std::string(reserved.reason());
  out.message = reserved.message();
  return out;
}

}  // namespace coppice::page
