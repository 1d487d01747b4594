#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "api/view/any.h"
#include "json/value.h"

// Reading and writing an object's metadata.
namespace coppice::kube {

inline view::meta::ObjectMeta Metadata(const json::Value& o) {
  return view::any::Object(o).metadata();
}
inline std::string_view Name(const json::Value& o) { return Metadata(o).name(); }
inline std::string_view Namespace(const json::Value& o) { return Metadata(o).namespace_(); }
inline std::string_view Uid(const json::Value& o) { return Metadata(o).uid(); }
inline std::string_view ApiVersion(const json::Value& o) {
  return view::any::Object(o).apiVersion();
}
inline std::string_view Kind(const json::Value& o) { return view::any::Object(o).kind(); }
inline std::string_view ResourceVersion(const json::Value& o) {
  return Metadata(o).resourceVersion();
}
inline int64_t Generation(const json::Value& o) { return Metadata(o).generation(); }
inline std::string_view Label(const json::Value& o, std::string_view key) {
  return Metadata(o).labels()[key];
}
inline std::string_view Annotation(const json::Value& o, std::string_view key) {
  return Metadata(o).annotations()[key];
}
inline bool IsDeleting(const json::Value& o) { return Metadata(o).has_deletionTimestamp(); }

api::ObjectKey KeyOf(const json::Value& object);
bool HasFinalizer(const json::Value& object, std::string_view finalizer);
// The owner reference with controller: true, or null.
const json::Value& ControllerOwner(const json::Value& object);
bool IsOwnedBy(const json::Value& object, std::string_view owner_uid);
// A controller reference (controller and blockOwnerDeletion true) to `owner`.
json::Value MakeControllerReference(const json::Value& owner);
// A new object of this resource with name and namespace set.
json::Value NewObject(const api::Resource& resource, std::string_view ns, std::string_view name);
// The condition of this type in status.conditions, or null.
const json::Value& Condition(const json::Value& object, std::string_view type);
bool ConditionIs(const json::Value& object, std::string_view type, std::string_view status);

}  // namespace coppice::kube
