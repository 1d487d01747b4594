#include "sim/foreign_scheduler.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::sim {
namespace {

using json::Value;

constexpr std::string_view kApplication = "yunikorn.apache.org/app-id";

base::Status Bind(kube::Client& client, const Value& pod, const Value& node) {
  const Value binding = Value::Object(
      {{"apiVersion", "v1"},
       {"kind", "Binding"},
       {"metadata",
        Value::Object({{"name", kube::Name(pod)}, {"namespace", kube::Namespace(pod)}})},
       {"target", Value::Object({{"kind", "Node"}, {"name", node}})}});
  COPPICE_TRY(client.Create(api::kPods, binding, {.subresource = "binding"}));
  return {};
}

Value PlaceholderOf(const Value& pod) {
  Value placeholder = kube::NewObject(api::kPods, kube::Namespace(pod),
                                      fmt::format("tg-{}-placeholder", kube::Name(pod)));
  Value& metadata = placeholder.Mutable("metadata");
  metadata.Set("labels", Value::Object({{kApplication, pod["metadata"]["labels"][kApplication]}}));
  metadata.Set("annotations", Value::Object({{"yunikorn.apache.org/placeholder", "true"}}));
  const Value& resources = pod["spec"]["containers"].At(0)["resources"];
  const Value pause =
      Value::Object({{"name", "pause"}, {"image", "pause"}, {"resources", resources}});
  placeholder.Set("spec", Value::Object({{"schedulerName", pod["spec"]["schedulerName"]},
                                         {"containers", Value::Array({pause})}}));
  return placeholder;
}

Value NotPlaced(const Value& message) {
  const Value condition = Value::Object({{"type", "PodScheduled"},
                                         {"status", "False"},
                                         {"reason", "Unschedulable"},
                                         {"message", message}});
  return Value::Object({{"status", Value::Object({{"conditions", Value::Array({condition})}})}});
}

base::Result<std::vector<Value>> PodsOf(kube::Client& client, const Value& target) {
  COPPICE_ASSIGN(kube::ObjectList pods,
                 client.List(api::kPods, {.ns = target["ns"].ToString("default"),
                                          .label_selector = target["labels"].ToString()}));
  return std::move(pods.items);
}

bool CanBePlaced(const Value& pod) {
  return pod["spec"]["schedulingGates"].empty() && !pod["spec"].Has("nodeName") &&
         !kube::IsDeleting(pod);
}

}  // namespace

std::optional<api::Resource> DefinedIn(const std::vector<Value>& crds, const Value& object) {
  const std::string_view version = object["apiVersion"].AsString();
  const size_t slash = version.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  for (const Value& crd : crds) {
    const Value& spec = crd["spec"];
    if (spec["names"]["kind"] != object["kind"]) continue;
    if (spec["group"].AsString() != version.substr(0, slash)) continue;
    return api::Resource{spec["group"].ToString(), std::string(version.substr(slash + 1)),
                         spec["names"]["plural"].ToString(), object["kind"].ToString(),
                         spec["scope"].AsString() == "Namespaced"};
  }
  return std::nullopt;
}

base::Status BindPods(kube::Client& client, const Value& target) {
  COPPICE_ASSIGN(const std::vector<Value> pods, PodsOf(client, target));
  int bound = 0;
  for (const Value& pod : pods) {
    if (!CanBePlaced(pod)) continue;
    COPPICE_TRY(Bind(client, pod, target["node"]));
    ++bound;
  }
  if (bound == 0) return base::Internal("no pod can be placed among " + json::Write(target));
  return {};
}

base::Status MakePlaceholders(kube::Client& client, const Value& target) {
  COPPICE_ASSIGN(const std::vector<Value> pods, PodsOf(client, target));
  for (const Value& pod : pods) {
    COPPICE_ASSIGN(const Value made, client.Create(api::kPods, PlaceholderOf(pod)));
    COPPICE_TRY(client.Patch(api::kPods, kube::KeyOf(made), kube::PatchType::kMerge,
                             NotPlaced(target["message"]), {.subresource = "status"}));
  }
  return {};
}

}  // namespace coppice::sim
