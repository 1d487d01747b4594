#include "kube/object.h"
#include "server/apply/managed_fields.h"
#include "server/auth/reviews.h"
#include "server/core/core.h"
#include "server/core/decode.h"
#include "server/core/lease_guard.h"
#include "server/model/conversion.h"
#include "server/model/errors.h"
#include "server/model/object_meta.h"
#include "server/requests/subresources.h"
#include "server/requests/write_rules.h"

namespace coppice::server {
namespace {

constexpr int kGeneratedNameAttempts = 8;

void SetEmptyStatus(const ServedResource& served, json::Value& object) {
  if (served.empty_status.IsNull()) {
    object.Erase("status");
  } else {
    object.Set("status", served.empty_status);
  }
}

// Holds the metadata no longer than needed: writing to what is shared copies it.
base::Status CompleteNew(Core& core, const Request& request, const json::Value& none,
                         json::Value& object) {
  const json::Value metadata = object["metadata"];
  COPPICE_TRY(Complete(core, request, Operation::kCreate, none, object));
  if (object["metadata"].SameAs(metadata)) return {};
  return KeepIdentity(request, Operation::kCreate, metadata, object);
}

}  // namespace

base::Result<Outcome> Core::Create(const Request& request, json::Value body) {
  if (!request.subresource.empty()) return CreateSubresource(*this, request, std::move(body));
  if (IsReview(*request.served)) return AnswerReview(*this, request, std::move(body));
  COPPICE_TRY(CheckBody(request, body));
  COPPICE_TRY(DecodeObject(request, body));
  json::Value object = ToStored(*request.served, std::move(body));
  COPPICE_TRY(CheckNamespaceAcceptsContent(*this, request, object));
  const bool generated = object["metadata"]["name"].AsString().empty();
  if (!generated) return CreateOnce(request, std::move(object));
  for (int attempt = 1;; ++attempt) {
    base::Result<Outcome> outcome = CreateOnce(request, object);
    const bool taken = outcome.Is(base::ErrorCode::kAlreadyExists);
    if (taken && attempt < kGeneratedNameAttempts) continue;
    return outcome;
  }
}

base::Result<Outcome> Core::CreateOnce(const Request& request, json::Value object) {
  const ServedResource& served = *request.served;
  COPPICE_TRY(InitializeMetadata(request, clock().Now(), ids_, object));
  const json::Value none;
  COPPICE_TRY(CompleteNew(*this, request, none, object));
  if (served.has_status && !served.rules->KeepsStatusOnCreate()) SetEmptyStatus(served, object);
  COPPICE_TRY(served.rules->PrepareForCreate(rule_context(), object));
  COPPICE_TRY(CheckObject(*this, request, none, object));
  if (!request.is_apply) TrackUpdate(request, none, clock().Now(), object);
  const std::string name(kube::Name(object));
  const std::string stored_name = served.NameOf(request.ns, name);
  if (request.dry_run) {
    if (store_->Get(served.storage, stored_name)) return ObjectExists(request.resource(), name);
    return Outcome{ToServed(served, object), nullptr, true};
  }
  base::Result<store::VersionPtr> put =
      store_->Put(served.storage, stored_name, 0, std::move(object), LeaseGuard(request).get());
  if (put.Is(base::ErrorCode::kConflict)) return ObjectExists(request.resource(), name);
  if (!put) return put.error();
  AfterWrite(*this, served, (*put)->value(), true);
  return Outcome{ToServed(served, (*put)->value()), *put, true};
}

}  // namespace coppice::server
