#include "kube/object.h"

#include "api/key/any.h"
#include "api/key/meta.h"

namespace coppice::kube {
namespace {

using AnyKey = key::any::Object;
using MetaKey = key::meta::ObjectMeta;

const json::Value kNone;

}  // namespace

api::ObjectKey KeyOf(const json::Value& object) {
  return {std::string(Namespace(object)), std::string(Name(object))};
}

bool HasFinalizer(const json::Value& object, std::string_view finalizer) {
  for (const std::string_view item : Metadata(object).finalizers()) {
    if (item == finalizer) return true;
  }
  return false;
}

const json::Value& ControllerOwner(const json::Value& object) {
  for (const view::meta::OwnerReference reference : Metadata(object).ownerReferences()) {
    if (reference.controller()) return reference.Json();
  }
  return kNone;
}

bool IsOwnedBy(const json::Value& object, std::string_view owner_uid) {
  for (const view::meta::OwnerReference reference : Metadata(object).ownerReferences()) {
    if (reference.uid() == owner_uid) return true;
  }
  return false;
}

json::Value MakeControllerReference(const json::Value& owner) {
  using Reference = key::meta::OwnerReference;
  const json::Value& metadata = Metadata(owner).Json();
  return json::Value::Object({{Reference::apiVersion, owner[AnyKey::apiVersion]},
                              {Reference::kind, owner[AnyKey::kind]},
                              {Reference::name, metadata[MetaKey::name]},
                              {Reference::uid, metadata[MetaKey::uid]},
                              {Reference::controller, true},
                              {Reference::blockOwnerDeletion, true}});
}

json::Value NewObject(const api::Resource& resource, std::string_view ns, std::string_view name) {
  json::Value metadata = json::Value::Object({{MetaKey::name, name}});
  if (!ns.empty()) metadata.Set(MetaKey::namespace_, ns);
  return json::Value::Object({{AnyKey::apiVersion, resource.ApiVersion()},
                              {AnyKey::kind, resource.kind},
                              {AnyKey::metadata, std::move(metadata)}});
}

const json::Value& Condition(const json::Value& object, std::string_view type) {
  for (const view::meta::Condition condition : view::any::Object(object).status().conditions()) {
    if (condition.type() == type) return condition.Json();
  }
  return kNone;
}

bool ConditionIs(const json::Value& object, std::string_view type, std::string_view status) {
  return view::meta::Condition(Condition(object, type)).status() == status;
}

}  // namespace coppice::kube
