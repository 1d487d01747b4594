#include "services/grouper/merge.h"

namespace coppice::services::grouper {
namespace {

void KeepField(const json::Value& stored, std::string_view field, json::Value& spec) {
  if (const json::Value* kept = stored["spec"].Find(field)) {
    spec.Set(field, *kept);
  } else {
    spec.Erase(field);
  }
}

void KeepSpec(const json::Value& stored, json::Value& computed) {
  json::Value& spec = computed.Mutable("spec");
  KeepField(stored, "markUnschedulable", spec);
  KeepField(stored, "schedulingBackoff", spec);
  KeepField(stored, "queue", spec);
  if (spec["topologyConstraint"]["topology"].AsString().empty()) {
    KeepField(stored, "topologyConstraint", spec);
  }
}

void KeepLabels(const Options& options, const json::Value& stored, json::Value& computed) {
  const json::Value& old = stored["metadata"]["labels"];
  json::Value* labels = computed.Mutable("metadata").FindMutable("labels");
  if (!labels) return;
  if (const json::Value* pool = old.Find(options.node_pool_label_key)) {
    labels->Set(options.node_pool_label_key, *pool);
  } else {
    labels->Erase(options.node_pool_label_key);
  }
  if (const json::Value* queue = old.Find(options.queue_label_key)) {
    labels->Set(options.queue_label_key, *queue);
  }
}

// An absent field and its empty value mean the same (upstream rewrites such objects forever).
json::Value WithoutEmpty(json::Value spec) {
  for (const std::string_view field : {"subGroups", "topologyConstraint"}) {
    const json::Value* value = spec.Find(field);
    if (value && value->empty()) spec.Erase(field);
  }
  return spec;
}

bool MergeMap(const json::Value& computed, std::string_view field, json::Value& merged) {
  const json::Value& wanted = computed["metadata"][field];
  if (wanted.empty()) return false;
  bool changed = false;
  for (const json::Member& member : wanted.Members()) {
    const json::Value* current = merged["metadata"][field].Find(member.name());
    if (current && *current == member.value) continue;
    merged.Mutable("metadata").Mutable(field).Set(member.name(), member.value);
    changed = true;
  }
  return changed;
}

}  // namespace

std::optional<json::Value> MergePodGroup(const Options& options, const json::Value& stored,
                                         const json::Value& fresh) {
  json::Value computed = fresh;
  KeepSpec(stored, computed);
  KeepLabels(options, stored, computed);
  json::Value merged = stored;
  bool changed = MergeMap(computed, "labels", merged);
  changed |= MergeMap(computed, "annotations", merged);
  const json::Value& owners = computed["metadata"]["ownerReferences"];
  if (stored["metadata"]["ownerReferences"] != owners) {
    merged.Mutable("metadata").Set("ownerReferences", owners);
    changed = true;
  }
  if (WithoutEmpty(stored["spec"]) != WithoutEmpty(computed["spec"])) {
    merged.Set("spec", computed["spec"]);
    changed = true;
  }
  if (!changed) return std::nullopt;
  return merged;
}

}  // namespace coppice::services::grouper
