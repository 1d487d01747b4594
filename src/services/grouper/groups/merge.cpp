#include "services/grouper/groups/merge.h"

#include "api/edit/kai.h"
#include "api/key/kai.h"
#include "api/key/meta.h"
#include "api/view/kai.h"

namespace coppice::services::grouper {
namespace {

using Key = key::kai::PodGroupSpec;

void KeepField(const json::Value& stored, std::string_view field, json::Value& spec) {
  if (const json::Value* kept = stored.Find(field)) {
    spec.Set(field, *kept);
  } else {
    spec.Erase(field);
  }
}

void KeepSpec(view::kai::PodGroupSpec stored, edit::kai::PodGroupSpec computed) {
  json::Value& spec = computed.Json();
  KeepField(stored.Json(), Key::markUnschedulable, spec);
  KeepField(stored.Json(), Key::schedulingBackoff, spec);
  KeepField(stored.Json(), Key::queue, spec);
  if (view::kai::PodGroupSpec(spec).topologyConstraint().topology().empty()) {
    KeepField(stored.Json(), Key::topologyConstraint, spec);
  }
}

void KeepLabels(const Options& options, view::Map<std::string_view> old,
                edit::meta::ObjectMeta computed) {
  json::Value* labels = computed.Json().FindMutable(key::meta::ObjectMeta::labels);
  if (!labels) return;
  KeepField(old.Json(), options.node_pool_label_key, *labels);
  if (old.Has(options.queue_label_key)) {
    labels->Set(options.queue_label_key, old[options.queue_label_key]);
  }
}

// An absent field and its empty value mean the same (upstream rewrites such objects forever).
json::Value WithoutEmpty(json::Value spec) {
  for (const std::string_view field : {Key::subGroups, Key::topologyConstraint}) {
    const json::Value* value = spec.Find(field);
    if (value && value->empty()) spec.Erase(field);
  }
  return spec;
}

// `field` is labels or annotations.
bool MergeMap(view::kai::PodGroup computed, std::string_view field, json::Value& merged) {
  bool changed = false;
  for (const json::Member& member : computed.metadata().Json()[field].Members()) {
    const json::Value& present = view::kai::PodGroup(merged).metadata().Json()[field];
    const json::Value* current = present.Find(member.name());
    if (current && *current == member.value) continue;
    edit::kai::PodGroup(merged).metadata().Json().Mutable(field).Set(member.name(), member.value);
    changed = true;
  }
  return changed;
}

}  // namespace

std::optional<json::Value> MergePodGroup(const Options& options, const json::Value& stored,
                                         const json::Value& fresh) {
  const view::kai::PodGroup before(stored);
  json::Value computed = fresh;
  KeepSpec(before.spec(), edit::kai::PodGroup(computed).spec());
  KeepLabels(options, before.metadata().labels(), edit::kai::PodGroup(computed).metadata());
  const view::kai::PodGroup after(computed);
  json::Value merged = stored;
  bool changed = MergeMap(after, key::meta::ObjectMeta::labels, merged);
  changed |= MergeMap(after, key::meta::ObjectMeta::annotations, merged);
  const json::Value& owners = after.metadata().ownerReferences().Json();
  if (before.metadata().ownerReferences().Json() != owners) {
    edit::kai::PodGroup(merged).metadata().set_ownerReferences(owners);
    changed = true;
  }
  if (WithoutEmpty(before.spec().Json()) != WithoutEmpty(after.spec().Json())) {
    edit::kai::PodGroup(merged).set_spec(after.spec().Json());
    changed = true;
  }
  if (!changed) return std::nullopt;
  return merged;
}

}  // namespace coppice::services::grouper
