#include "operator/common/writer.h"

#include <fmt/format.h>

#include <utility>

#include "kube/apply.h"
#include "kube/object.h"

namespace coppice::operators {
namespace {

json::Value FinalizersWithout(const json::Value& object, std::string_view finalizer) {
  json::Value kept = json::Value::Array();
  for (const json::Value& item : object["metadata"]["finalizers"].Items()) {
    if (item.AsString() != finalizer) kept.Append(item);
  }
  return kept;
}

// A patch of metadata that fails unless the object is still the version that was read.
json::Value FinalizerPatch(const json::Value& object, json::Value finalizers) {
  return json::Value::Object(
      {{"metadata", json::Value::Object({{"finalizers", std::move(finalizers)},
                                         {"uid", object["metadata"]["uid"]},
                                         {"resourceVersion",
                                          object["metadata"]["resourceVersion"]}})}});
}

// Never takes an object over: one that is left from an owner of the same name is waited for, one
// of anybody else stays theirs.
base::Status CheckController(const json::Value& existing, const json::Value& desired) {
  const json::Value& theirs = kube::ControllerOwner(existing);
  const json::Value& ours = kube::ControllerOwner(desired);
  if (theirs.IsNull() || ours.IsNull() || theirs["uid"] == ours["uid"]) return {};
  const std::string message =
      fmt::format("{} {} is controlled by {} {}", kube::Kind(existing), kube::Name(existing),
                  theirs["kind"].AsString(), theirs["name"].AsString());
  if (theirs["kind"] == ours["kind"] && theirs["name"] == ours["name"]) {
    return base::AlreadyExists(message + " of an earlier life");
  }
  return base::Error(base::ErrorCode::kForbidden, message);
}

}  // namespace

base::Result<Writer::Written> Writer::CreateOrPatch(const kube::Resource& resource,
                                                    const std::optional<json::Value>& existing,
                                                    const json::Value& desired) {
  if (!existing) {
    COPPICE_ASSIGN(json::Value created, client_.Create(resource, desired));
    return Written{Change::kCreated, std::move(created)};
  }
  COPPICE_TRY(CheckController(*existing, desired));
  json::Value patch = kube::MergePatchBetween(*existing, desired);
  if (patch.empty()) return Written{Change::kNone, *existing};
  patch.Mutable("metadata").Set("uid", (*existing)["metadata"]["uid"]);
  COPPICE_ASSIGN(json::Value patched, client_.Patch(resource, kube::KeyOf(*existing),
                                                    kube::PatchType::kMerge, patch));
  return Written{Change::kPatched, std::move(patched)};
}

base::Result<Writer::Written> Writer::PatchStatus(const kube::Resource& resource,
                                                  const json::Value& object,
                                                  const json::Value& status) {
  const json::Value diff = kube::MergePatchBetween(object["status"], status);
  if (diff.empty()) return Written{Change::kNone, object};
  const json::Value patch = json::Value::Object(
      {{"metadata",
        json::Value::Object({{"uid", object["metadata"]["uid"]},
                             {"resourceVersion", object["metadata"]["resourceVersion"]}})},
       {"status", diff}});
  COPPICE_ASSIGN(json::Value patched,
                 client_.Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge, patch,
                               {.subresource = "status"}));
  return Written{Change::kPatched, std::move(patched)};
}

base::Status Writer::AddFinalizer(const kube::Resource& resource, json::Value& object,
                                  std::string_view finalizer) {
  if (kube::HasFinalizer(object, finalizer)) return {};
  json::Value finalizers = FinalizersWithout(object, finalizer);
  finalizers.Append(finalizer);
  COPPICE_ASSIGN(object, client_.Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge,
                                       FinalizerPatch(object, std::move(finalizers))));
  return {};
}

base::Status Writer::RemoveFinalizer(const kube::Resource& resource, const json::Value& object,
                                     std::string_view finalizer) {
  if (!kube::HasFinalizer(object, finalizer)) return {};
  const auto patched =
      client_.Patch(resource, kube::KeyOf(object), kube::PatchType::kMerge,
                    FinalizerPatch(object, FinalizersWithout(object, finalizer)));
  if (!patched && !patched.Is(base::ErrorCode::kNotFound)) return patched.error();
  return {};
}

base::Status Writer::Delete(const kube::Resource& resource, const json::Value& object) {
  if (kube::IsDeleting(object)) return {};
  const base::Status deleted = client_.Delete(resource, kube::KeyOf(object),
                                              {.uid = std::string(kube::Uid(object))});
  if (!deleted && !deleted.Is(base::ErrorCode::kNotFound)) return deleted.error();
  return {};
}

}  // namespace coppice::operators
