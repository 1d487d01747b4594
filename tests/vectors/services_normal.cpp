#include "tests/vectors/services_normal.h"

#include "kube/object.h"

namespace coppice::vectors {
namespace {

json::Value Keep(const json::Value& object, std::initializer_list<std::string_view> keys) {
  json::Value out = json::Value::Object();
  for (const std::string_view key : keys) {
    const json::Value* value = object.Find(key);
    if (value && !value->IsNull()) out.Set(key, *value);
  }
  return out;
}

bool IsTimeKey(std::string_view key) { return key.ends_with("-timestamp"); }

json::Value Owners(const json::Value& owners, bool of_pod) {
  json::Value out = json::Value::Array();
  for (json::Value owner : owners.Items()) {
    owner.Erase("uid");
    if (of_pod) owner.Erase("apiVersion");
    out.Append(std::move(owner));
  }
  return out;
}

json::Value Metadata(const json::Value& object) {
  const bool is_pod = kube::Kind(object) == "Pod";
  json::Value out = Keep(object["metadata"], {"name", "labels", "annotations", "finalizers"});
  if (const json::Value* owners = object["metadata"].Find("ownerReferences")) {
    out.Set("ownerReferences", Owners(*owners, is_pod));
  }
  if (json::Value* annotations = out.FindMutable("annotations")) {
    for (const json::Member& member : object["metadata"]["annotations"].Members()) {
      if (IsTimeKey(member.name())) annotations->Set(member.name(), "<time>");
    }
  }
  for (const char* map : {"labels", "annotations", "finalizers"}) {
    if (out.Has(map) && out[map].empty()) out.Erase(map);
  }
  return out;
}

json::Value Containers(const json::Value& list) {
  json::Value out = json::Value::Array();
  for (const json::Value& container : list.Items()) {
    json::Value kept =
        Keep(container, {"name", "image", "args", "command", "env", "envFrom", "resources"});
    kept.SetDefault("resources", json::Value::Object());
    out.Append(std::move(kept));
  }
  return out;
}

json::Value PodSpec(const json::Value& spec) {
  json::Value out =
      Keep(spec, {"volumes", "nodeName", "schedulerName", "priority", "priorityClassName",
                  "runtimeClassName", "nodeSelector", "affinity", "schedulingGates"});
  if (out["schedulingGates"].empty()) out.Erase("schedulingGates");
  for (const char* list : {"containers", "initContainers"}) {
    if (spec.Has(list)) out.Set(list, Containers(spec[list]));
  }
  return out;
}

json::Value PodStatus(const json::Value& status) {
  json::Value out = Keep(status, {"phase"});
  for (const json::Value& condition : status["conditions"].Items()) {
    if (condition["type"].AsString() != "PodScheduled") continue;
    out.Mutable("conditions").Append(Keep(condition, {"type", "status", "reason", "message"}));
  }
  return out;
}

json::Value Status(json::Value status) {
  if (json::Value* conditions = status.FindMutable("schedulingConditions")) {
    for (json::Value& condition : conditions->MutableItems()) {
      condition.Erase("lastTransitionTime");
      condition.Erase("transitionID");
    }
  }
  return status;
}

// Maps and lists that are empty are the same as none.
json::Value WithoutEmpty(const json::Value& object) {
  json::Value out = json::Value::Object();
  for (const json::Member& member : object.Members()) {
    if (member.value.IsObject() && member.name() == "resourcesStatus") {
      const json::Value inner = WithoutEmpty(member.value);
      if (!inner.empty()) out.Set(member.name(), inner);
    } else if (!(member.value.IsObject() || member.value.IsArray()) || !member.value.empty()) {
      out.Set(member.name(), member.value);
    }
  }
  return out;
}

}  // namespace

json::Value Normalise(const json::Value& object) {
  const std::string_view kind = kube::Kind(object);
  json::Value out = json::Value::Object();
  const json::Value status =
      WithoutEmpty(kind == "Pod" ? PodStatus(object["status"]) : Status(object["status"]));
  if (kind == "Queue") {
    if (!status.empty()) out.Set("status", status);
    return out;
  }
  out.Set("metadata", Metadata(object));
  if (object.Has("spec")) {
    out.Set("spec", kind == "Pod" ? PodSpec(object["spec"]) : object["spec"]);
  }
  if (!object["data"].empty()) out.Set("data", object["data"]);
  if (!status.empty()) out.Set("status", status);
  return out;
}

json::Value NormaliseEvent(const json::Value& event) {
  const json::Value& about = event["involvedObject"];
  std::string source = event["source"]["component"].ToString();
  if (source.empty()) source = event["reportingComponent"].ToString();
  return json::Value::Object({{"type", event["type"]},
                              {"reason", event["reason"]},
                              {"kind", about["kind"]},
                              {"name", about["name"]},
                              {"message", event["message"]},
                              {"from", source}});
}

}  // namespace coppice::vectors
