#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "api/schema/errors/field_error.h"
#include "kube/object.h"
#include "server/core/core.h"
#include "server/core/lease_guard.h"
#include "server/model/conversion.h"
#include "server/model/errors.h"
#include "server/model/object_meta.h"
#include "server/requests/write_rules.h"

namespace coppice::server {
namespace {

// 68 years: more could not be written as a time.
constexpr int64_t kMaxGraceSeconds = INT32_MAX;

base::Status CheckPreconditions(const Request& request, const json::Value& object,
                                const kube::DeleteOptions& options) {
  const json::Value& metadata = object["metadata"];
  api::Resource named = request.resource();
  named.plural = named.kind;
  if (options.uid && *options.uid != metadata["uid"].AsString()) {
    return WriteConflict(
        named, request.name,
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The "
                    "object might have been deleted and then recreated",
                    *options.uid, metadata["uid"].AsString()));
  }
  if (options.resource_version &&
      *options.resource_version != metadata["resourceVersion"].AsString()) {
    return WriteConflict(
        named, request.name,
        fmt::format("the ResourceVersion in the precondition ({}) does not match the "
                    "ResourceVersion in record ({}). The object might have been modified",
                    *options.resource_version, metadata["resourceVersion"].AsString()));
  }
  return {};
}

// Orphan and foreground deletion are finalizers that the garbage collector works off.
void SetPropagation(const std::string& propagation, json::Value& object) {
  if (propagation.empty()) return;
  std::vector<json::Value> kept;
  for (const json::Value& finalizer : object["metadata"]["finalizers"].Items()) {
    const std::string_view name = finalizer.AsString();
    if (name != "orphan" && name != "foregroundDeletion") kept.push_back(finalizer);
  }
  if (propagation == "Orphan") kept.emplace_back("orphan");
  if (propagation == "Foreground") kept.emplace_back("foregroundDeletion");
  json::Value& metadata = object.Mutable("metadata");
  if (kept.empty()) {
    metadata.Erase("finalizers");
  } else {
    metadata.Set("finalizers", json::Value::Array(std::move(kept)));
  }
}

int64_t GraceFor(const Request& request, const json::Value& object,
                 const kube::DeleteOptions& options) {
  const KindRules& rules = *request.served->rules;
  if (!rules.IsGracefullyDeletable()) return 0;
  const int64_t asked = options.grace_period_seconds.value_or(rules.DefaultGraceSeconds(object));
  return std::clamp<int64_t>(rules.EffectiveGraceSeconds(object, asked), 0, kMaxGraceSeconds);
}

// Marks the object as being deleted, or shortens the grace of one that is.
void MarkDeleted(base::Time now, int64_t grace, json::Value& object) {
  json::Value& metadata = object.Mutable("metadata");
  const bool marked = metadata.Has("deletionTimestamp");
  if (marked && metadata["deletionGracePeriodSeconds"].AsInt() <= grace) return;
  if (!marked && metadata["generation"].AsInt() > 0) {
    metadata.Set("generation", metadata["generation"].AsInt() + 1);
  }
  metadata.Set("deletionTimestamp", base::FormatRfc3339(now + std::chrono::seconds(grace)));
  metadata.Set("deletionGracePeriodSeconds", grace);
}

base::Status CheckPropagation(const std::string& propagation) {
  for (const char* known : {"", "Background", "Foreground", "Orphan"}) {
    if (propagation == known) return {};
  }
  Causes causes{api::UnsupportedField("propagationPolicy", propagation,
                                      {"Foreground", "Background", "Orphan", "nil"})};
  return api::InvalidObject({"meta.k8s.io", "v1", "", "DeleteOptions", false}, "",
                            std::move(causes));
}

}  // namespace

base::Result<Outcome> Core::Delete(const Request& request, const kube::DeleteOptions& options) {
  COPPICE_TRY(CheckPropagation(options.propagation));
  while (true) {
    const store::VersionPtr current =
        store_->GetNewest(request.served->storage, request.stored_name());
    if (!current) return ObjectNotFound(request.resource(), request.name);
    COPPICE_TRY(CheckPreconditions(request, current->value(), options));
    base::Result<Outcome> outcome = DeleteOnce(request, current, options);
    if (!outcome.Is(base::ErrorCode::kConflict)) return outcome;
  }
}

base::Result<Outcome> Core::DeleteOnce(const Request& request, const store::VersionPtr& current,
                                       const kube::DeleteOptions& options) {
  const ServedResource& served = *request.served;
  const json::Value none;
  COPPICE_TRY(admission_.Validate(
      MakeAdmissionRequest(request, Operation::kDelete, none, current->value())));
  COPPICE_TRY(served.rules->CheckDelete(current->value(), request.name));
  json::Value object = current->value();
  SetPropagation(options.propagation, object);
  const int64_t grace = GraceFor(request, object, options);
  const bool stays = grace > 0 || HasFinalizers(object) || served.rules->StaysWhenDeleted(object);
  if (stays) {
    MarkDeleted(clock().Now(), grace, object);
    served.rules->PrepareForDelete(object);
    if (options.dry_run || request.dry_run)
      return Outcome{ToServed(served, object), nullptr, false};
    return WriteUpdate(request, current, std::move(object));
  }
  if (options.dry_run || request.dry_run) return Outcome{ToServed(served, object), nullptr, false};
  base::Result<store::VersionPtr> gone = store_->Delete(
      served.storage, request.stored_name(), current->revision(), LeaseGuard(request).get());
  if (gone.Is(base::ErrorCode::kConflict)) return ObjectModified(request.resource(), request.name);
  if (!gone) return gone.error();
  AfterDelete(*this, served, (*gone)->value());
  json::Value last = (*gone)->value();
  if (served.rules->IsGracefullyDeletable()) MarkDeleted(clock().Now(), 0, last);
  return Outcome{ToServed(served, last), nullptr, false};
}

base::Status Core::DeleteCollection(const Request& request, const kube::ListOptions& which,
                                    const kube::DeleteOptions& options) {
  COPPICE_ASSIGN(const VersionList list, ListVersions(request, which));
  for (const store::VersionPtr& version : list.items) {
    Request one = request;
    one.ns = kube::Namespace(version->value());
    one.name = kube::Name(version->value());
    const base::Result<Outcome> outcome = Delete(one, options);
    if (!outcome && !outcome.Is(base::ErrorCode::kNotFound)) return outcome.error();
  }
  return {};
}

}  // namespace coppice::server
