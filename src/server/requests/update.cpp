#include "api/schema/errors/field_error.h"
#include "kube/object.h"
#include "server/apply/managed_fields.h"
#include "server/core/core.h"
#include "server/core/decode.h"
#include "server/core/lease_guard.h"
#include "server/model/conversion.h"
#include "server/model/errors.h"
#include "server/model/object_meta.h"
#include "server/requests/scale.h"
#include "server/requests/write_rules.h"

namespace coppice::server {
namespace {

// A write to a subresource touches only its part of the object, a write to the object only the
// rest.
void KeepOtherPart(const Request& request, const json::Value& old, json::Value& object) {
  if (request.subresource == "ephemeralcontainers") {
    const json::Value containers = object["spec"]["ephemeralContainers"];
    object.Set("spec", old["spec"]);
    if (!containers.IsNull()) object.Mutable("spec").Set("ephemeralContainers", containers);
    if (containers.IsNull()) object.Mutable("spec").Erase("ephemeralContainers");
  }
  if (!request.served->has_status) return;
  if (request.subresource != "status") {
    if (const json::Value* status = old.Find("status")) {
      object.Set("status", *status);
    } else {
      object.Erase("status");
    }
    return;
  }
  json::Value merged = old;
  if (const json::Value* status = object.Find("status")) {
    merged.Set("status", *status);
  } else {
    merged.Erase("status");
  }
  if (!request.served->custom) {
    const json::Value owners = old["metadata"]["ownerReferences"];
    merged.Set("metadata", object["metadata"]);
    if (!owners.IsNull()) merged.Mutable("metadata").Set("ownerReferences", owners);
  } else {
    for (const char* field : {"resourceVersion", "managedFields"}) {
      if (const json::Value* value = object["metadata"].Find(field)) {
        merged.Mutable("metadata").Set(field, *value);
      }
    }
  }
  object = std::move(merged);
}

// The identity has been carried over already; what admission left alone still has it.
base::Status CompleteChange(Core& core, const Request& request, const json::Value& old,
                            json::Value& object) {
  const json::Value metadata = object["metadata"];
  COPPICE_TRY(Complete(core, request, Operation::kUpdate, old, object));
  if (object["metadata"].SameAs(metadata)) return {};
  return KeepIdentity(request, Operation::kUpdate, old["metadata"], object);
}

bool DeletionIsComplete(const json::Value& object) {
  const json::Value& metadata = object["metadata"];
  return metadata.Has("deletionTimestamp") && metadata["finalizers"].empty() &&
         metadata["deletionGracePeriodSeconds"].AsInt() == 0;
}

// namespaces/finalize: takes the namespace's own finalizers away.
base::Result<Outcome> Finalize(Core& core, const Request& request, const json::Value& body) {
  return core.ModifyQuietly(request, [&](const json::Value& current) {
    json::Value next = current;
    next.Mutable("spec").Set("finalizers", body["spec"]["finalizers"]);
    if (body["spec"]["finalizers"].empty()) next.Mutable("spec").Erase("finalizers");
    return base::Result<json::Value>(std::move(next));
  });
}

base::Status CheckResourceVersion(const Request& request, const store::Version& current,
                                  const json::Value& object) {
  const std::string_view given = object["metadata"]["resourceVersion"].AsString();
  if (given.empty() || given == "0") {
    if (request.served->rules->AllowsUnconditionalUpdate()) return {};
    Causes causes{
        api::InvalidField("metadata.resourceVersion", 0, "must be specified for an update")};
    return api::InvalidObject(request.resource(), request.name, std::move(causes));
  }
  if (given == std::to_string(current.revision())) return {};
  return ObjectModified(request.resource(), request.name);
}

}  // namespace

base::Result<Outcome> Core::Update(const Request& request, json::Value body) {
  if (request.subresource == "scale") return UpdateScale(*this, request, body);
  COPPICE_TRY(CheckBody(request, body));
  if (request.subresource == "finalize") return Finalize(*this, request, body);
  COPPICE_TRY(DecodeObject(request, body));
  const json::Value object = ToStored(*request.served, std::move(body));
  const std::string_view version = object["metadata"]["resourceVersion"].AsString();
  const bool conditional = !version.empty() && version != "0";
  return Modify(request, conditional, [&](const json::Value&) { return object; });
}

base::Result<Outcome> Core::Modify(const Request& request, bool conditional, const Change& change) {
  while (true) {
    const store::VersionPtr current =
        store_->GetNewest(request.served->storage, request.stored_name());
    if (!current) return ObjectNotFound(request.resource(), request.name);
    COPPICE_ASSIGN(json::Value object, change(current->value()));
    COPPICE_TRY(CheckResourceVersion(request, *current, object));
    COPPICE_TRY(PrepareUpdate(request, current->value(), object));
    base::Result<Outcome> outcome = WriteUpdate(request, current, std::move(object));
    if (!outcome.Is(base::ErrorCode::kConflict) || conditional) return outcome;
  }
}

base::Status Core::PrepareUpdate(const Request& request, const json::Value& old,
                                 json::Value& object) {
  const ServedResource& served = *request.served;
  COPPICE_TRY(CarryMetadata(request, old, object));
  KeepOtherPart(request, old, object);
  COPPICE_TRY(CompleteChange(*this, request, old, object));
  COPPICE_TRY(served.rules->PrepareForUpdate(rule_context(), object, old));
  if (served.rules->HasGeneration()) BumpGeneration(served, old, object);
  if (!request.is_apply) TrackUpdate(request, old, clock().Now(), object);
  return CheckObject(*this, request, old, object);
}

base::Result<Outcome> Core::ModifyQuietly(const Request& request, const Change& change) {
  while (true) {
    const store::VersionPtr current =
        store_->GetNewest(request.served->storage, request.stored_name());
    if (!current) return ObjectNotFound(request.resource(), request.name);
    COPPICE_ASSIGN(json::Value object, change(current->value()));
    base::Result<Outcome> outcome = WriteUpdate(request, current, std::move(object));
    if (!outcome.Is(base::ErrorCode::kConflict)) return outcome;
  }
}

// An update that changes nothing writes nothing; one that takes away the last finalizer of an
// object that is being deleted deletes it.
base::Result<Outcome> Core::WriteUpdate(const Request& request, const store::VersionPtr& current,
                                        json::Value object) {
  const ServedResource& served = *request.served;
  object.Mutable("metadata").Set("resourceVersion", std::to_string(current->revision()));
  const LeaseGuard guard(request);
  if (object == current->value()) {
    COPPICE_TRY(guard.Check(*store_));
    return Outcome{ToServed(served, current->value()), current, false};
  }
  if (request.dry_run) return Outcome{ToServed(served, object), nullptr, false};
  const std::string name = request.stored_name();
  if (DeletionIsComplete(object) && !served.rules->StaysWhenDeleted(object)) {
    base::Result<store::VersionPtr> gone =
        store_->Delete(served.storage, name, current->revision(), guard.get());
    if (gone.Is(base::ErrorCode::kConflict))
      return ObjectModified(request.resource(), request.name);
    if (!gone) return gone.error();
    AfterDelete(*this, served, (*gone)->value());
    return Outcome{ToServed(served, object), nullptr, false};
  }
  base::Result<store::VersionPtr> put =
      store_->Put(served.storage, name, current->revision(), std::move(object), guard.get());
  if (put.Is(base::ErrorCode::kConflict)) return ObjectModified(request.resource(), request.name);
  if (!put) return put.error();
  AfterWrite(*this, served, (*put)->value(), false);
  return Outcome{ToServed(served, (*put)->value()), *put, false};
}

}  // namespace coppice::server
