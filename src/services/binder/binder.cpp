#include "services/binder/binder.h"

#include <fmt/format.h>

#include "api/edit/core.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "json/patch/patch.h"
#include "json/write.h"
#include "kube/object.h"
#include "services/common/gpu_sharing.h"
#include "services/common/names.h"

namespace coppice::services::binder {
namespace {

// Upstream's order of members: zone first.
std::string ZonesText(view::List<view::kai::NumaZone> zones) {
  std::string out;
  for (const view::kai::NumaZone zone : zones) {
    out += fmt::format("{}{{\"zone\":{},\"amount\":{}}}", out.empty() ? "" : ",",
                       json::Write(zone.zone()), json::Write(zone.amount().Json()));
  }
  return "[" + out + "]";
}

bool IsGroupLabel(std::string_view key) {
  return key == names::kGpuGroupLabel || key.starts_with(names::kGpuGroupLabelPrefix);
}

void Join(const base::Status& status, std::string& errors) {
  if (status) return;
  if (!errors.empty()) errors += "; ";
  errors += status.error().message();
}

}  // namespace

base::Result<Progress> Binder::Bind(BindContext& context) {
  reservation_.SyncNode(std::string(context.Wanted().selectedNode()));
  COPPICE_ASSIGN(const Progress reserved, ReserveGpus(context));
  if (!reserved.done) return reserved;
  COPPICE_ASSIGN(const Progress prepared, PreBind(context));
  if (!prepared.done) return prepared;
  COPPICE_TRY(PostBinding(context));
  for (NamedPlugin& item : plugins_) item.plugin->PostBind(context);
  return Progress::Done();
}

base::Result<Progress> Binder::ReserveGpus(BindContext& context) {
  context.gpu_ids.clear();
  if (!context.IsFraction()) return Progress::Done();
  const auto selected = context.Wanted().selectedGPUGroups();
  const std::vector<std::string> groups = GpuGroupsOfRequest(context.request);
  if (groups.size() != selected.size()) {
    return base::InvalidArgument(
        fmt::format("spec.selectedGPUGroups is {}, which has an item that is no GPU group",
                    json::Write(selected.Json())));
  }
  for (const std::string& group : groups) {
    COPPICE_ASSIGN(Reservation::Gpu gpu, reservation_.Reserve(context, group));
    if (!gpu.progress.done) return gpu.progress;
    context.gpu_ids.push_back(std::move(gpu.id));
  }
  return Progress::Done();
}

base::Result<Progress> Binder::PreBind(const BindContext& context) {
  for (NamedPlugin& item : plugins_) {
    const base::Result<Progress> progress = item.plugin->PreBind(context);
    if (!progress) {
      return progress.error().During(fmt::format("plugin {} failed in PreBind", item.name));
    }
    if (!progress->done) return progress;
  }
  return Progress::Done();
}

// What the pod got; the API server copies it to the pod together with the node.
json::Value Binder::Annotations(const BindContext& context) {
  const auto wanted = context.Wanted();
  json::Value annotations =
      json::Value::Object({{names::kReceivedResourceType, wanted.receivedResourceType()}});
  if (!wanted.predictedNUMAZones().empty()) {
    annotations.Set(names::kNumaPredicted, ZonesText(wanted.predictedNUMAZones()));
  }
  return annotations;
}

// With the pod's uid, so that a pod of the same name that came later is never bound by mistake.
base::Status Binder::PostBinding(const BindContext& context) {
  json::Value made;
  const edit::core::Binding binding(made);
  binding.set_apiVersion("v1").set_kind("Binding");
  binding.metadata()
      .set_name(kube::Name(context.pod))
      .set_namespace_(kube::Namespace(context.pod))
      .set_uid(kube::Uid(context.pod))
      .set_annotations(Annotations(context));
  binding.target().set_apiVersion("v1").set_kind("Node").set_name(context.Wanted().selectedNode());
  COPPICE_TRY(runtime_.client.Create(api::kPods, made, {.subresource = "binding"}));
  return {};
}

base::Status Binder::RemoveGroupLabels(const json::Value& pod) {
  const base::Result<json::Value> live = runtime_.client.Get(api::kPods, kube::KeyOf(pod));
  if (!live) return live.Is(base::ErrorCode::kNotFound) ? base::Status() : live.error();
  json::Value patch = json::Value::Array();
  for (const auto& [label, value] : view::core::Pod(*live).metadata().labels()) {
    if (!IsGroupLabel(label)) continue;
    patch.Append(json::RemoveOperation("/metadata/labels/" + json::EscapePointer(label)));
  }
  if (patch.empty()) return {};
  COPPICE_TRY(runtime_.client.Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kJson, patch));
  return {};
}

base::Status Binder::Rollback(const BindContext& context) {
  std::string errors;
  for (NamedPlugin& item : plugins_) Join(item.plugin->Rollback(context), errors);
  if (context.IsFraction()) {
    Join(RemoveGroupLabels(context.pod), errors);
    for (const std::string& group : GpuGroupsOfRequest(context.request)) {
      Join(reservation_.GiveBack(context.request, group), errors);
    }
    reservation_.SyncNode(std::string(context.Wanted().selectedNode()));
  }
  if (errors.empty()) return {};
  return base::Internal(errors);
}

}  // namespace coppice::services::binder
