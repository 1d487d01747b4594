#include "kube/cache/apply.h"

#include <fmt/format.h>

#include "api/edit/any.h"
#include "api/key/any.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;
using base::Result;
using json::Value;

// Without null members, at any depth of objects: what a merge patch would create.
Value WithoutNulls(const Value& value) {
  if (!value.IsObject()) return value;
  Value clean = Value::Object();
  for (const json::Member& member : value.Members()) {
    if (!member.value.IsNull()) clean.Set(member.name(), WithoutNulls(member.value));
  }
  return clean;
}

void DiffMember(const Value& before, const json::Member& member, Value& patch) {
  const Value* old = before.Find(member.name());
  if (member.value.IsNull()) {
    if (old != nullptr) patch.Set(member.name(), nullptr);
  } else if (old == nullptr) {
    patch.Set(member.name(), WithoutNulls(member.value));
  } else if (member.value.SameAs(*old)) {
    return;
  } else if (member.value.IsObject() && old->IsObject()) {
    Value inner = MergePatchBetween(*old, member.value);
    if (!inner.empty()) patch.Set(member.name(), std::move(inner));
  } else if (member.value != *old) {
    patch.Set(member.name(), WithoutNulls(member.value));
  }
}

void Guard(Value& patch, const Value& object) {
  const view::meta::ObjectMeta metadata = Metadata(object);
  if (!metadata.has_resourceVersion()) return;
  edit::any::Object(patch).metadata().set_resourceVersion(metadata.resourceVersion());
}

Result<Applied> CreateMutated(Client& client, const Resource& resource, const ObjectKey& key,
                              const Mutate& mutate, const WriteOptions& options) {
  Value object = NewObject(resource, key.ns, key.name);
  COPPICE_TRY(mutate(object));
  COPPICE_ASSIGN(Value created, client.Create(resource, WithoutNulls(object), options));
  return Applied{Written::kCreated, std::move(created)};
}

Result<Applied> PatchMutated(Client& client, const Resource& resource, const Value& current,
                             const Mutate& mutate, const WriteOptions& options) {
  Value desired = current;
  COPPICE_TRY(mutate(desired));
  return PatchTo(client, resource, current, desired, options);
}

// What the server has; none when there is no such object.
Result<std::optional<Value>> Live(Client& client, const Resource& resource, const ObjectKey& key) {
  Result<Value> found = client.Get(resource, key);
  if (found.Is(ErrorCode::kNotFound)) return std::optional<Value>();
  if (!found) return found.error();
  return std::optional<Value>(*std::move(found));
}

bool RacedWithAnotherWriter(const Result<Applied>& result) {
  return result.Is(ErrorCode::kConflict) || result.Is(ErrorCode::kAlreadyExists) ||
         result.Is(ErrorCode::kNotFound);
}

Value FinalizersOf(const Value& object) {
  const Value& finalizers = Metadata(object).finalizers().Json();
  return finalizers.IsArray() ? finalizers : Value::Array();
}

base::Status AppendFinalizer(Value& object, std::string_view finalizer) {
  if (HasFinalizer(object, finalizer)) return {};
  Value finalizers = FinalizersOf(object);
  edit::any::Object(object).metadata().set_finalizers(finalizers.Append(finalizer));
  return {};
}

base::Status EraseFinalizer(Value& object, std::string_view finalizer) {
  if (!HasFinalizer(object, finalizer)) return {};
  Value kept = Value::Array();
  const Value present = FinalizersOf(object);
  for (const Value& item : present.Items()) {
    if (item.AsString() != finalizer) kept.Append(item);
  }
  edit::any::Object(object).metadata().set_finalizers(kept.empty() ? Value() : kept);
  return {};
}

// First on the version at hand, then on what the server has.
Result<Applied> ModifyFrom(Client& client, const Resource& resource, const Value& object,
                           const Mutate& mutate) {
  Result<Applied> result = PatchMutated(client, resource, object, mutate, {});
  if (!result.Is(ErrorCode::kConflict)) return result;
  return Modify(client, resource, KeyOf(object), mutate, std::string(Uid(object)));
}

}  // namespace

Value MergePatchBetween(const Value& before, const Value& after) {
  Value patch = Value::Object();
  if (before.SameAs(after)) return patch;
  for (const json::Member& member : before.Members()) {
    if (!after.Has(member.name())) patch.Set(member.name(), nullptr);
  }
  for (const json::Member& member : after.Members()) DiffMember(before, member, patch);
  return patch;
}

Result<Applied> PatchTo(Client& client, const Resource& resource, const Value& before,
                        const Value& after, const WriteOptions& options) {
  Value patch = MergePatchBetween(before, after);
  if (patch.empty()) return Applied{Written::kNothing, before};
  Guard(patch, before);
  COPPICE_ASSIGN(Value patched,
                 client.Patch(resource, KeyOf(before), PatchType::kMerge, patch, options));
  return Applied{Written::kPatched, std::move(patched)};
}

Result<Applied> PatchSame(Client& client, const Resource& resource, const Value& before,
                          const Value& after) {
  Value patch = MergePatchBetween(before, after);
  if (patch.empty()) return Applied{Written::kNothing, before};
  edit::any::Object(patch).metadata().set_uid(Uid(before));
  COPPICE_ASSIGN(Value patched, client.Patch(resource, KeyOf(before), PatchType::kMerge, patch));
  return Applied{Written::kPatched, std::move(patched)};
}

Result<Applied> CreateOrPatch(Client& client, const Resource& resource, const ObjectKey& key,
                              const Informer* cached, const Mutate& mutate,
                              const WriteOptions& options) {
  const auto attempt = [&](const std::optional<Value>& current) {
    return current ? PatchMutated(client, resource, *current, mutate, options)
                   : CreateMutated(client, resource, key, mutate, options);
  };
  std::optional<Value> current;
  if (cached != nullptr) {
    Result<Applied> result = attempt(cached->Get(key));
    if (!RacedWithAnotherWriter(result)) return result;
  }
  for (int tries = 1;; ++tries) {
    COPPICE_ASSIGN(current, Live(client, resource, key));
    Result<Applied> result = attempt(current);
    if (!RacedWithAnotherWriter(result) || tries == kConflictAttempts) return result;
  }
}

Result<Applied> PatchStatus(Client& client, const Resource& resource, const Value& object,
                            const Value& status, const WriteOptions& options) {
  const Value difference = MergePatchBetween(view::any::Object(object).status().Json(), status);
  if (difference.empty()) return Applied{Written::kNothing, object};
  Value patch = Value::Object({{key::any::Object::status, difference}});
  Guard(patch, object);
  WriteOptions to_status = options;
  to_status.subresource = "status";
  COPPICE_ASSIGN(Value patched,
                 client.Patch(resource, KeyOf(object), PatchType::kMerge, patch, to_status));
  return Applied{Written::kPatched, std::move(patched)};
}

Result<Applied> Modify(Client& client, const Resource& resource, const ObjectKey& key,
                       const Mutate& mutate, std::optional<std::string> uid,
                       const WriteOptions& options) {
  for (int tries = 1;; ++tries) {
    COPPICE_ASSIGN(const Value current, client.Get(resource, key));
    if (uid && *uid != Uid(current)) {
      return base::Conflict(fmt::format("{} \"{}\" is another object by now",
                                        resource.QualifiedName(), key.ToString()));
    }
    Result<Applied> result = PatchMutated(client, resource, current, mutate, options);
    if (!result.Is(ErrorCode::kConflict) || tries == kConflictAttempts) return result;
  }
}

Result<Applied> AddFinalizer(Client& client, const Resource& resource, const Value& object,
                             std::string_view finalizer) {
  return ModifyFrom(client, resource, object,
                    [&](Value& target) { return AppendFinalizer(target, finalizer); });
}

Result<Applied> RemoveFinalizer(Client& client, const Resource& resource, const Value& object,
                                std::string_view finalizer) {
  Result<Applied> result = ModifyFrom(
      client, resource, object, [&](Value& target) { return EraseFinalizer(target, finalizer); });
  if (result.Is(ErrorCode::kNotFound)) return Applied{Written::kNothing, object};
  return result;
}

base::Status DeleteObject(Client& client, const Resource& resource, const Value& object,
                          DeleteOptions options) {
  if (IsDeleting(object) && !options.grace_period_seconds) return {};
  if (!Uid(object).empty()) options.uid = std::string(Uid(object));
  base::Status status = client.Delete(resource, KeyOf(object), options);
  if (status.Is(ErrorCode::kNotFound)) return {};
  if (!status.Is(ErrorCode::kConflict) || options.resource_version) return status;
  // The name is taken by another object: ours is gone.
  return {};
}

}  // namespace coppice::kube
