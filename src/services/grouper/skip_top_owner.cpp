#include "kube/object.h"
#include "services/grouper/default_grouper.h"
#include "services/grouper/families.h"
#include "services/names.h"

namespace coppice::services::grouper {
namespace {

void CopyWhereAbsent(const json::Value& from, std::string_view field, json::Value& to) {
  const json::Value& source = from["metadata"][field];
  if (source.empty()) return;
  json::Value& target = to.Mutable("metadata").Mutable(field);
  for (const json::Member& member : source.Members())
    target.SetDefault(member.name(), member.value);
}

// The administrator's defaults of the skipped kind become labels of the owner below it.
base::Status ApplyTypeDefaults(const Context& context, const json::Value& skipped,
                               json::Value& owner) {
  const TypeDefaults::Entry* entry =
      context.defaults.Find(skipped["apiVersion"].AsString(), kube::Kind(skipped));
  if (!entry) return {};
  COPPICE_ASSIGN(const bool exists, PriorityClassExists(context, entry->priority_class));
  json::Value& labels = owner.Mutable("metadata").Mutable("labels");
  if (exists) labels.SetDefault(names::kPriorityClassLabel, entry->priority_class);
  if (!entry->preemptibility.empty()) {
    labels.SetDefault(names::kPreemptibility, entry->preemptibility);
  }
  return {};
}

base::Result<json::Value> LastOwner(const Context& context, const Workload& workload) {
  if (workload.owners.size() <= 1) return workload.pod;
  const json::Value& metadata = workload.owners[workload.owners.size() - 2];
  return context.lookup.Get(metadata["apiVersion"].AsString(), kube::Kind(metadata),
                            kube::Namespace(workload.pod), kube::Name(metadata));
}

}  // namespace

base::Result<Metadata> GroupWithoutTopOwner(const Context& context, const Workload& workload) {
  COPPICE_ASSIGN(json::Value owner, LastOwner(context, workload));
  COPPICE_TRY(ApplyTypeDefaults(context, workload.top_owner, owner));
  CopyWhereAbsent(workload.top_owner, "labels", owner);
  CopyWhereAbsent(workload.top_owner, "annotations", owner);
  Workload below{workload.pod, owner, workload.owners};
  if (!below.owners.empty()) below.owners.pop_back();
  if (!below.owners.empty()) below.owners.back() = owner;
  const Grouper grouper = FindGrouper(owner["apiVersion"].AsString(), kube::Kind(owner));
  return (grouper ? grouper : GroupByDefault)(context, below);
}

}  // namespace coppice::services::grouper
