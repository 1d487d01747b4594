#include "server/requests/scale.h"

#include "api/schema/errors/field_error.h"
#include "api/selectors/label_selector.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

// ".spec.replicas" into its parts.
std::vector<std::string_view> Parts(std::string_view path) {
  std::vector<std::string_view> parts;
  while (!path.empty()) {
    path.remove_prefix(path.front() == '.' ? 1 : 0);
    const size_t end = std::min(path.find('.'), path.size());
    parts.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return parts;
}

const json::Value& Read(const json::Value& object, std::string_view path) {
  const json::Value* at = &object;
  for (const std::string_view part : Parts(path)) at = &(*at)[part];
  return *at;
}

void Write(json::Value& object, std::string_view path, json::Value value) {
  json::Value* at = &object;
  for (const std::string_view part : Parts(path)) at = &at->Mutable(part);
  *at = std::move(value);
}

std::string ScaleSelector(const json::Value& selector) {
  if (selector.IsString()) return selector.ToString();
  if (!selector.IsObject()) return "";
  base::Result<api::LabelSelector> parsed = api::LabelSelector::FromObject(selector);
  return parsed ? parsed->ToString() : "";
}

}  // namespace

json::Value ScaleOf(const ServedResource& served, const json::Value& object) {
  json::Value metadata = json::Value::Object();
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const json::Value* value = object["metadata"].Find(field)) metadata.Set(field, *value);
  }
  json::Value status =
      json::Value::Object({{"replicas", Read(object, served.scale->status_replicas).AsInt()}});
  if (!served.scale->selector.empty()) {
    const std::string selector = ScaleSelector(Read(object, served.scale->selector));
    if (!selector.empty()) status.Set("selector", selector);
  }
  json::Value spec = json::Value::Object();
  const int64_t replicas = Read(object, served.scale->spec_replicas).AsInt();
  if (replicas != 0) spec.Set("replicas", replicas);
  return json::Value::Object({{"apiVersion", "autoscaling/v1"},
                              {"kind", "Scale"},
                              {"metadata", std::move(metadata)},
                              {"spec", std::move(spec)},
                              {"status", std::move(status)}});
}

void SetScale(const ServedResource& served, const json::Value& scale, json::Value& object) {
  Write(object, served.scale->spec_replicas, scale["spec"]["replicas"].AsInt());
}

base::Result<Outcome> UpdateScale(Core& core, const Request& request, const json::Value& scale) {
  const int64_t replicas = scale["spec"]["replicas"].AsInt();
  if (replicas < 0) {
    Causes causes{
        api::InvalidField("spec.replicas", replicas, "must be greater than or equal to 0")};
    return api::InvalidObject({"autoscaling", "v1", "scales", "Scale", true}, request.name,
                              std::move(causes));
  }
  const json::Value version = scale["metadata"]["resourceVersion"];
  Request parent = request;
  parent.subresource = "";
  parent.tracked_as = "scale";
  COPPICE_ASSIGN(Outcome outcome,
                 core.Modify(parent, !version.AsString().empty(), [&](const json::Value& current) {
                   json::Value next = current;
                   SetScale(*request.served, scale, next);
                   if (!version.AsString().empty()) {
                     next.Mutable("metadata").Set("resourceVersion", version);
                   }
                   return base::Result<json::Value>(std::move(next));
                 }));
  outcome.object = ScaleOf(*request.served, outcome.object);
  outcome.version = nullptr;
  return outcome;
}

}  // namespace coppice::server
