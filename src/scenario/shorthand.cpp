#include "scenario/shorthand.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/edit/kai.h"
#include "api/edit/scenario.h"
#include "api/key/scenario.h"
#include "api/view/scenario.h"
#include "api/well_known.h"
#include "json/patch/patch.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::scenario {
namespace {

using json::Value;
namespace names = services::names;
namespace scenario = view::scenario;
using PodKey = key::scenario::Pod;  // Resources are called as in Kubernetes.

// Numbers are allowed where Kubernetes wants the text of a quantity.
Value Quantity(const Value& value) {
  return value.IsInt() ? Value(fmt::format("{}", value.AsInt())) : value;
}

Value ObjectOrEmpty(const Value& value) { return value.IsObject() ? value : Value::Object(); }

// What the scenario says of a part, over what the short form gives.
void Overlay(const Value& wanted, Value& part) {
  if (wanted.IsObject()) part = json::ApplyMergePatch(part, wanted);
}

void SetBounds(const Value& quota, const Value& limit, const Value& weight,
               edit::kai::QueueResource resource) {
  resource.set_quota(quota.AsDouble(-1))
      .set_limit(limit.AsDouble(-1))
      .set_overQuotaWeight(weight.AsDouble(1));
}

Value QueueFrom(scenario::Queue item) {
  Value queue = kube::NewObject(api::kQueues, "", item.name());
  const edit::kai::QueueSpec spec = edit::kai::Queue(queue).spec();
  if (item.has_parent()) spec.set_parentQueue(item.parent());
  SetBounds({}, {}, {}, spec.resources().cpu());
  SetBounds({}, {}, {}, spec.resources().memory());
  SetBounds(item.gpus(), item.limit(), item.weight(), spec.resources().gpu());
  Overlay(item.spec(), spec.Json());
  return queue;
}

Value MakeGroup(scenario::Group item) {
  Value group = kube::NewObject(api::kPodGroups, item.ns("default"), item.name());
  const edit::kai::PodGroup edit(group);
  edit.spec().set_queue(item.queue(names::kDefaultQueue));
  Overlay(item.spec(), edit.spec().Json());
  Overlay(item.metadata(), edit.metadata().Json());
  return group;
}

void SetContainer(scenario::Pod item, edit::core::Container container) {
  container.set_name("main").set_image("i").set_resources(Value::Object());
  const edit::core::ResourceRequirements resources = container.resources();
  if (item.has_gpus()) resources.limits().Set(names::kGpuResource, Quantity(item.gpus()));
  for (const std::string_view name : {PodKey::cpu, PodKey::memory}) {
    if (const Value* amount = item.Json().Find(name)) {
      resources.requests().Set(name, Quantity(*amount));
    }
  }
  Overlay(item.container(), container.Json());
}

void SetMetadata(scenario::Pod item, edit::meta::ObjectMeta metadata) {
  metadata.set_labels(ObjectOrEmpty(item.labels().Json()));
  Value& labels = metadata.labels().Json();
  labels.SetDefault(names::kAppLabel, item.name());
  labels.SetDefault(names::kQueueLabel, item.queue(names::kDefaultQueue));
  if (item.has_subGroup()) labels.Set(names::kSubGroupLabel, item.subGroup());
  if (item.has_priority()) labels.Set(names::kPriorityClassLabel, item.priority());
  metadata.set_annotations(ObjectOrEmpty(item.annotations().Json()));
  if (item.has_group()) metadata.annotations().Set(names::kPodGroupAnnotation, item.group());
  if (item.owner()) {
    Value owner = item.owner().Json();
    edit::meta::OwnerReference(owner).set_controller(true);
    metadata.set_ownerReferences(Value::Array({owner}));
  }
}

Value MakePod(scenario::Pod item, const std::string& name) {
  Value pod = kube::NewObject(api::kPods, item.ns("default"), name);
  const edit::core::Pod edit(pod);
  Value metadata;
  SetMetadata(item, edit::meta::ObjectMeta(metadata));
  Overlay(metadata, edit.metadata().Json());
  edit.spec().set_schedulerName(names::kSchedulerName);
  SetContainer(item, edit.spec().add_containers());
  Overlay(item.spec(), edit.spec().Json());
  return pod;
}

void AddPods(scenario::Pod item, std::vector<Value>& objects) {
  const std::string name(item.name());
  if (!item.has_count()) return objects.push_back(MakePod(item, name));
  for (int64_t i = 0; i < item.count(); ++i) {
    objects.push_back(MakePod(item, fmt::format("{}-{}", name, i)));
  }
}

Value PodsWhere(std::string_view app, const Value& count, Value where) {
  Value made;
  edit::scenario::Expectation(made)
      .set_kind(api::kPods.kind)
      .set_ns("*")
      .set_labels(fmt::format("{}={}", names::kAppLabel, app))
      .set_where(std::move(where))
      .set_count(count.AsInt());
  return made;
}

}  // namespace

base::Result<std::vector<Value>> ExpandObjects(const Value& document) {
  const scenario::Step step(document);
  std::vector<Value> objects;
  for (const scenario::Queue queue : step.queues()) objects.push_back(QueueFrom(queue));
  for (const scenario::Group group : step.groups()) objects.push_back(MakeGroup(group));
  for (const scenario::Pod pod : step.pods()) AddPods(pod, objects);
  for (const Value& object : objects) {
    if (kube::Name(object).empty()) return base::InvalidArgument("an object without a name");
  }
  return objects;
}

Value ExpandExpectations(const Value& document) {
  constexpr std::string_view kPhase = "status.phase", kDeleted = "metadata.deletionTimestamp",
                             kNode = "spec.nodeName";
  const scenario::Step step(document);
  Value all = step.expect().Json().IsArray() ? step.expect().Json() : Value::Array();
  for (const auto& [app, count] : step.running()) {
    all.Append(PodsWhere(app, count, Value::Object({{kPhase, "Running"}, {kDeleted, Value()}})));
  }
  for (const auto& [app, count] : step.waiting()) {
    all.Append(PodsWhere(app, count, Value::Object({{kNode, Value()}})));
  }
  return all;
}

}  // namespace coppice::scenario
