#include "sim/foreign_scheduler.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/foreign/names.h"
#include "api/view/apiextensions.h"
#include "api/view/core.h"
#include "api/view/scenario.h"
#include "api/well_known.h"
#include "backends/model/labels.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::sim {
namespace {

using json::Value;

using view::scenario::Target;

constexpr std::string_view kApplication = backends::labels::kApplication;
constexpr std::string_view kPlaceholder = api::foreign::kYunikornPlaceholder;

base::Status Bind(kube::Client& client, const Value& pod, std::string_view node) {
  Value made;
  const edit::core::Binding binding(made);
  binding.set_apiVersion("v1").set_kind("Binding");
  binding.metadata().set_name(kube::Name(pod)).set_namespace_(kube::Namespace(pod));
  binding.target().set_kind("Node").set_name(node);
  COPPICE_TRY(client.Create(api::kPods, made, {.subresource = "binding"}));
  return {};
}

Value PlaceholderOf(const Value& object) {
  const view::core::Pod pod(object);
  Value made = kube::NewObject(api::kPods, kube::Namespace(object),
                               fmt::format("tg-{}-placeholder", kube::Name(object)));
  const edit::core::Pod placeholder(made);
  placeholder.metadata().labels().Set(kApplication, kube::Label(object, kApplication));
  placeholder.metadata().annotations().Set(kPlaceholder, "true");
  placeholder.spec().set_schedulerName(pod.spec().schedulerName());
  placeholder.spec().add_containers().set_name("pause").set_image("pause").set_resources(
      pod.spec().containers().At(0).resources().Json());
  return made;
}

Value NotPlaced(std::string_view message) {
  Value patch;
  edit::core::Pod(patch)
      .status()
      .add_conditions()
      .set_type("PodScheduled")
      .set_status("False")
      .set_reason("Unschedulable")
      .set_message(message);
  return patch;
}

base::Result<std::vector<Value>> PodsOf(kube::Client& client, Target target) {
  COPPICE_ASSIGN(kube::ObjectList pods,
                 client.List(api::kPods, {.ns = std::string(target.ns("default")),
                                          .label_selector = std::string(target.labels())}));
  return std::move(pods.items);
}

bool CanBePlaced(const Value& pod) {
  const view::core::PodSpec spec = view::core::Pod(pod).spec();
  return spec.schedulingGates().empty() && !spec.has_nodeName() && !kube::IsDeleting(pod);
}

}  // namespace

std::optional<api::Resource> DefinedIn(const std::vector<Value>& crds, const Value& object) {
  const std::string_view version = kube::ApiVersion(object), kind = kube::Kind(object);
  const size_t slash = version.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  for (const Value& crd : crds) {
    const auto spec = view::apiextensions::CustomResourceDefinition(crd).spec();
    if (spec.names().kind() != kind || spec.group() != version.substr(0, slash)) continue;
    return api::Resource{std::string(spec.group()), std::string(version.substr(slash + 1)),
                         std::string(spec.names().plural()), std::string(kind),
                         spec.scope() == "Namespaced"};
  }
  return std::nullopt;
}

base::Status BindPods(kube::Client& client, const Value& wanted) {
  const Target target(wanted);
  COPPICE_ASSIGN(const std::vector<Value> pods, PodsOf(client, target));
  int bound = 0;
  for (const Value& pod : pods) {
    if (!CanBePlaced(pod)) continue;
    COPPICE_TRY(Bind(client, pod, target.node()));
    ++bound;
  }
  if (bound == 0) return base::Internal("no pod can be placed among " + json::Write(wanted));
  return {};
}

base::Status MakePlaceholders(kube::Client& client, const Value& wanted) {
  const Target target(wanted);
  COPPICE_ASSIGN(const std::vector<Value> pods, PodsOf(client, target));
  for (const Value& pod : pods) {
    COPPICE_ASSIGN(const Value made, client.Create(api::kPods, PlaceholderOf(pod)));
    COPPICE_TRY(client.Patch(api::kPods, kube::KeyOf(made), kube::PatchType::kMerge,
                             NotPlaced(target.message()), {.subresource = "status"}));
  }
  return {};
}

}  // namespace coppice::sim
