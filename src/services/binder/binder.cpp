#include "services/binder/binder.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "json/write.h"
#include "kube/object.h"
#include "services/names.h"

namespace coppice::services::binder {
namespace {

// Upstream's order of members: zone first.
std::string ZonesText(const json::Value& zones) {
  std::string out;
  for (const json::Value& zone : zones.Items()) {
    out += fmt::format("{}{{\"zone\":{},\"amount\":{}}}", out.empty() ? "" : ",",
                       json::Write(zone["zone"]), json::Write(zone["amount"]));
  }
  return "[" + out + "]";
}

std::string EscapePointer(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
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
  COPPICE_TRY(reservation_.SyncNode(context.request["spec"]["selectedNode"].ToString()));
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
  for (const json::Value& group : context.request["spec"]["selectedGPUGroups"].Items()) {
    COPPICE_ASSIGN(Reservation::Gpu gpu, reservation_.Reserve(context, group.ToString()));
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
  const json::Value& spec = context.request["spec"];
  json::Value annotations = json::Value::Object(
      {{names::kReceivedResourceType, spec["receivedResourceType"].AsString()}});
  if (!spec["predictedNUMAZones"].empty()) {
    annotations.Set(names::kNumaPredicted, ZonesText(spec["predictedNUMAZones"]));
  }
  return annotations;
}

// With the pod's uid, so that a pod of the same name that came later is never bound by mistake.
base::Status Binder::PostBinding(const BindContext& context) {
  json::Value binding = json::Value::Object({{"apiVersion", "v1"}, {"kind", "Binding"}});
  binding.Mutable("metadata")
      .Set("name", kube::Name(context.pod))
      .Set("namespace", kube::Namespace(context.pod))
      .Set("uid", kube::Uid(context.pod))
      .Set("annotations", Annotations(context));
  binding.Set("target", json::Value::Object({{"apiVersion", "v1"},
                                             {"kind", "Node"},
                                             {"name", context.request["spec"]["selectedNode"]}}));
  COPPICE_TRY(runtime_.client.Create(api::kPods, binding, {.subresource = "binding"}));
  return {};
}

base::Status Binder::RemoveGroupLabels(const json::Value& pod) {
  const base::Result<json::Value> live = runtime_.client.Get(api::kPods, kube::KeyOf(pod));
  if (!live) return live.Is(base::ErrorCode::kNotFound) ? base::Status() : live.error();
  json::Value patch = json::Value::Array();
  for (const json::Member& label : (*live)["metadata"]["labels"].Members()) {
    if (!IsGroupLabel(label.name())) continue;
    patch.Append(json::Value::Object(
        {{"op", "remove"}, {"path", "/metadata/labels/" + EscapePointer(label.name())}}));
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
    for (const json::Value& group : context.request["spec"]["selectedGPUGroups"].Items()) {
      Join(reservation_.GiveBack(context.request, group.ToString()), errors);
    }
    Join(reservation_.SyncNode(context.request["spec"]["selectedNode"].ToString()), errors);
  }
  if (errors.empty()) return {};
  return base::Internal(errors);
}

}  // namespace coppice::services::binder
