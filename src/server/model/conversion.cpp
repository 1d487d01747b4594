#include "server/model/conversion.h"

#include "api/schema/prune.h"
#include "server/model/autoscaler_versions.h"

namespace coppice::server {
namespace {

// The names of an event's fields in events.k8s.io/v1 and in v1.
constexpr std::pair<const char*, const char*> kEventFields[] = {
    {"regarding", "involvedObject"},
    {"note", "message"},
    {"reportingController", "reportingComponent"},
    {"deprecatedSource", "source"},
    {"deprecatedFirstTimestamp", "firstTimestamp"},
    {"deprecatedLastTimestamp", "lastTimestamp"},
    {"deprecatedCount", "count"}};

void Rename(std::string_view from, std::string_view to, json::Value& object) {
  const json::Value* found = object.Find(from);
  if (!found) return;
  json::Value value = *found;
  object.Erase(from);
  object.Set(to, std::move(value));
}

bool IsNewEvent(const ServedResource& served) { return served.resource.group == "events.k8s.io"; }

bool IsOldAutoscaler(const ServedResource& served) {
  return served.resource.group == "autoscaling" && served.resource.version == "v1";
}

}  // namespace

bool IsStoredVersion(const ServedResource& served) {
  return served.resource.HasApiVersion(served.storage_version);
}

json::Value ToStored(const ServedResource& served, json::Value object) {
  if (IsStoredVersion(served)) return object;
  object.Set("apiVersion", served.storage_version);
  if (served.stored_schema) object = api::Prune(*served.stored_schema, object);
  if (IsNewEvent(served)) {
    for (const auto& [now, stored] : kEventFields) Rename(now, stored, object);
  }
  if (IsOldAutoscaler(served)) return AutoscalerToV2(std::move(object));
  return object;
}

json::Value ToServed(const ServedResource& served, const json::Value& stored) {
  if (IsStoredVersion(served)) return stored;
  json::Value object = stored;
  object.Set("apiVersion", served.resource.ApiVersion());
  if (IsNewEvent(served)) {
    for (const auto& [now, before] : kEventFields) Rename(before, now, object);
  }
  if (IsOldAutoscaler(served)) return AutoscalerToV1(std::move(object));
  return object;
}

}  // namespace coppice::server
