#include "scenario/shorthand.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "json/patch/patch.h"
#include "kube/object.h"

namespace coppice::scenario {
namespace {

using json::Value;

// Numbers are allowed where Kubernetes wants the text of a quantity.
Value Quantity(const Value& value) {
  return value.IsInt() ? Value(fmt::format("{}", value.AsInt())) : value;
}

Value QueueResource(const Value& quota, const Value& limit, const Value& weight) {
  return Value::Object({{"quota", quota.IsNull() ? Value(-1) : quota},
                        {"limit", limit.IsNull() ? Value(-1) : limit},
                        {"overQuotaWeight", weight.IsNull() ? Value(1) : weight}});
}

Value QueueFrom(const Value& item) {
  Value queue = kube::NewObject(api::kQueues, "", item["name"].AsString());
  Value& spec = queue.Mutable("spec");
  if (item.Has("parent")) spec.Set("parentQueue", item["parent"]);
  spec.Set("resources",
           Value::Object({{"cpu", QueueResource({}, {}, {})},
                          {"memory", QueueResource({}, {}, {})},
                          {"gpu", QueueResource(item["gpus"], item["limit"], item["weight"])}}));
  if (item["spec"].IsObject()) spec = json::ApplyMergePatch(spec, item["spec"]);
  return queue;
}

Value MakeGroup(const Value& item) {
  Value group =
      kube::NewObject(api::kPodGroups, item["ns"].AsString("default"), item["name"].AsString());
  Value& spec = group.Mutable("spec");
  spec.Set("queue", item["queue"].AsString("default-queue"));
  if (item["spec"].IsObject()) spec = json::ApplyMergePatch(spec, item["spec"]);
  if (item["metadata"].IsObject()) {
    group.Set("metadata", json::ApplyMergePatch(group["metadata"], item["metadata"]));
  }
  return group;
}

Value MakeContainer(const Value& item) {
  Value container = Value::Object({{"name", "main"}, {"image", "i"}});
  Value& resources = container.Mutable("resources");
  resources = Value::Object();
  if (item.Has("gpus")) {
    resources.Set("limits", Value::Object({{"nvidia.com/gpu", Quantity(item["gpus"])}}));
  }
  for (const char* name : {"cpu", "memory"}) {
    if (item.Has(name)) resources.Mutable("requests").Set(name, Quantity(item[name]));
  }
  return item["container"].IsObject() ? json::ApplyMergePatch(container, item["container"])
                                      : container;
}

Value MakeMetadata(const Value& item, std::string_view app) {
  Value metadata = Value::Object();
  Value& labels = metadata.Mutable("labels");
  labels = item["labels"].IsObject() ? item["labels"] : Value::Object();
  labels.SetDefault("app", app);
  labels.SetDefault("kai.scheduler/queue", item["queue"].AsString("default-queue"));
  if (item.Has("subGroup")) labels.Set("kai.scheduler/subgroup-name", item["subGroup"]);
  if (item.Has("priority")) labels.Set("priorityClassName", item["priority"]);
  Value& annotations = metadata.Mutable("annotations");
  annotations = item["annotations"].IsObject() ? item["annotations"] : Value::Object();
  if (item.Has("group")) annotations.Set("pod-group-name", item["group"]);
  if (item["owner"].IsObject()) {
    Value owner = item["owner"];
    metadata.Set("ownerReferences", Value::Array({owner.Set("controller", true)}));
  }
  return metadata;
}

Value MakePod(const Value& item, const std::string& name) {
  Value pod = kube::NewObject(api::kPods, item["ns"].AsString("default"), name);
  pod.Set("metadata",
          json::ApplyMergePatch(pod["metadata"], MakeMetadata(item, item["name"].AsString())));
  Value spec = Value::Object(
      {{"schedulerName", "kai-scheduler"}, {"containers", Value::Array({MakeContainer(item)})}});
  pod.Set("spec", item["spec"].IsObject() ? json::ApplyMergePatch(spec, item["spec"]) : spec);
  return pod;
}

void AddPods(const Value& item, std::vector<Value>& objects) {
  const std::string name = item["name"].ToString();
  if (!item.Has("count")) return objects.push_back(MakePod(item, name));
  for (int64_t i = 0; i < item["count"].AsInt(); ++i) {
    objects.push_back(MakePod(item, fmt::format("{}-{}", name, i)));
  }
}

Value PodsWhere(const json::Member& wanted, Value where) {
  Value expectation = Value::Object({{"kind", "Pod"},
                                     {"ns", "*"},
                                     {"labels", fmt::format("app={}", wanted.name())},
                                     {"where", std::move(where)}});
  return expectation.Set("count", wanted.value);
}

}  // namespace

base::Result<std::vector<Value>> ExpandObjects(const Value& step) {
  std::vector<Value> objects;
  for (const Value& queue : step["queues"].Items()) objects.push_back(QueueFrom(queue));
  for (const Value& group : step["groups"].Items()) objects.push_back(MakeGroup(group));
  for (const Value& pod : step["pods"].Items()) AddPods(pod, objects);
  for (const Value& object : objects) {
    if (kube::Name(object).empty()) return base::InvalidArgument("an object without a name");
  }
  return objects;
}

Value ExpandExpectations(const Value& step) {
  Value all = step["expect"].IsArray() ? step["expect"] : Value::Array();
  for (const json::Member& wanted : step["running"].Members()) {
    all.Append(PodsWhere(wanted, Value::Object({{"status.phase", "Running"},
                                                {"metadata.deletionTimestamp", Value()}})));
  }
  for (const json::Member& wanted : step["waiting"].Members()) {
    all.Append(PodsWhere(wanted, Value::Object({{"spec.nodeName", Value()}})));
  }
  return all;
}

}  // namespace coppice::scenario
