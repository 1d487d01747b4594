#include "kube/object.h"

namespace coppice::kube {
namespace {

const json::Value kNone;

}  // namespace

api::ObjectKey KeyOf(const json::Value& object) {
  return {std::string(Namespace(object)), std::string(Name(object))};
}

bool HasFinalizer(const json::Value& object, std::string_view finalizer) {
  for (const json::Value& item : object["metadata"]["finalizers"].Items()) {
    if (item.AsString() == finalizer) return true;
  }
  return false;
}

const json::Value& ControllerOwner(const json::Value& object) {
  for (const json::Value& reference : object["metadata"]["ownerReferences"].Items()) {
    if (reference["controller"].AsBool()) return reference;
  }
  return kNone;
}

bool IsOwnedBy(const json::Value& object, std::string_view owner_uid) {
  for (const json::Value& reference : object["metadata"]["ownerReferences"].Items()) {
    if (reference["uid"].AsString() == owner_uid) return true;
  }
  return false;
}

json::Value MakeControllerReference(const json::Value& owner) {
  return json::Value::Object({{"apiVersion", owner["apiVersion"]},
                              {"kind", owner["kind"]},
                              {"name", owner["metadata"]["name"]},
                              {"uid", owner["metadata"]["uid"]},
                              {"controller", true},
                              {"blockOwnerDeletion", true}});
}

json::Value NewObject(const api::Resource& resource, std::string_view ns, std::string_view name) {
  json::Value metadata = json::Value::Object({{"name", name}});
  if (!ns.empty()) metadata.Set("namespace", ns);
  return json::Value::Object({{"apiVersion", resource.ApiVersion()},
                              {"kind", resource.kind},
                              {"metadata", std::move(metadata)}});
}

const json::Value& Condition(const json::Value& object, std::string_view type) {
  for (const json::Value& condition : object["status"]["conditions"].Items()) {
    if (condition["type"].AsString() == type) return condition;
  }
  return kNone;
}

bool ConditionIs(const json::Value& object, std::string_view type, std::string_view status) {
  return Condition(object, type)["status"].AsString() == status;
}

}  // namespace coppice::kube
