#include "api/edit/meta.h"
#include "api/key/meta.h"
#include "kube/object.h"
#include "services/common/names.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/values.h"
#include "services/grouper/kinds/families.h"

namespace coppice::services::grouper {
namespace {

using EditObject = edit::meta::PartialObjectMetadata;

// `field` is labels or annotations.
void CopyWhereAbsent(const json::Value& from, std::string_view field, json::Value& to) {
  const json::Value& source = Object(from).metadata().Json()[field];
  if (source.empty()) return;
  json::Value& target = EditObject(to).metadata().Json().Mutable(field);
  for (const json::Member& member : source.Members())
    target.SetDefault(member.name(), member.value);
}

// The administrator's defaults of the skipped kind become labels of the owner below it.
base::Status ApplyTypeDefaults(const Context& context, const json::Value& skipped,
                               json::Value& owner) {
  const TypeDefaults::Entry* entry =
      context.defaults.Find(Object(skipped).apiVersion(), kube::Kind(skipped));
  if (!entry) return {};
  COPPICE_ASSIGN(const bool exists, PriorityClassExists(context, entry->priority_class));
  json::Value& labels = EditObject(owner).metadata().labels().Json();
  if (exists) labels.SetDefault(names::kPriorityClassLabel, entry->priority_class);
  if (!entry->preemptibility.empty()) {
    labels.SetDefault(names::kPreemptibility, entry->preemptibility);
  }
  return {};
}

base::Result<json::Value> LastOwner(const Context& context, const Workload& workload) {
  if (workload.owners.size() <= 1) return workload.pod;
  const json::Value& metadata = workload.owners[workload.owners.size() - 2];
  return context.lookup.Get(Object(metadata).apiVersion(), kube::Kind(metadata),
                            kube::Namespace(workload.pod), kube::Name(metadata));
}

}  // namespace

base::Result<Metadata> GroupWithoutTopOwner(const Context& context, const Workload& workload) {
  COPPICE_ASSIGN(json::Value owner, LastOwner(context, workload));
  COPPICE_TRY(ApplyTypeDefaults(context, workload.top_owner, owner));
  CopyWhereAbsent(workload.top_owner, key::meta::ObjectMeta::labels, owner);
  CopyWhereAbsent(workload.top_owner, key::meta::ObjectMeta::annotations, owner);
  Workload below{workload.pod, owner, workload.owners};
  if (!below.owners.empty()) below.owners.pop_back();
  if (!below.owners.empty()) below.owners.back() = owner;
  const Grouper grouper = FindGrouper(Object(owner).apiVersion(), kube::Kind(owner));
  return (grouper ? grouper : GroupByDefault)(context, below);
}

}  // namespace coppice::services::grouper
