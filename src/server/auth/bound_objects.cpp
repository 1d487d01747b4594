#include "server/auth/bound_objects.h"

#include <fmt/format.h>

#include "kube/object.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

// How long an object that waits for its finalizers still counts; clocks differ.
constexpr std::chrono::minutes kDeletionLeeway{1};

struct BoundKind {
  const char* kind;
  const char* claim;
  const char* storage;
  bool namespaced;
};
constexpr BoundKind kBoundKinds[] = {{"Pod", "pod", "/pods", true},
                                     {"Secret", "secret", "/secrets", true},
                                     {"Node", "node", "/nodes", false}};

store::VersionPtr Look(Core& core, const BoundKind& kind, const std::string& ns,
                       std::string_view name) {
  return core.store().Get(kind.storage, (kind.namespaced ? ns + "/" : "") + std::string(name));
}

json::Value BoundClaim(const json::Value& object) {
  return json::Value::Object({{"name", kube::Name(object)}, {"uid", kube::Uid(object)}});
}

// Group, version and kind as Kubernetes prints them.
std::string GroupVersionKind(const json::Value& ref) {
  const std::string_view version = ref["apiVersion"].AsString();
  const bool grouped = version.find('/') != std::string_view::npos;
  return fmt::format("{}{}, Kind={}", grouped ? "" : "/", version, ref["kind"].AsString());
}

const BoundKind* FindBoundKind(const json::Value& ref) {
  if (ref["apiVersion"].AsString().find('/') != std::string_view::npos) return nullptr;
  for (const BoundKind& each : kBoundKinds) {
    if (ref["kind"].AsString() == each.kind) return &each;
  }
  return nullptr;
}

// The pod's node. Without a uid if there is no such node: the token contains what is known.
void AddNodeOf(Core& core, const json::Value& pod, json::Value& claims) {
  const std::string node = pod["spec"]["nodeName"].ToString();
  if (node.empty()) return;
  const store::VersionPtr found = core.store().Get("/nodes", node);
  claims.Set("node", found ? BoundClaim(found->value()) : json::Value::Object({{"name", node}}));
}

base::Error Invalidated(std::string why = "service account token has been invalidated") {
  return {base::ErrorCode::kUnauthorized, std::move(why)};
}

bool ShouldBeGone(const json::Value& object, base::Time now) {
  if (!kube::IsDeleting(object)) return false;
  const auto when = base::ParseRfc3339(object["metadata"]["deletionTimestamp"].AsString());
  return when && *when < now - kDeletionLeeway;
}

base::Status CheckClaim(const json::Value& claim, const store::VersionPtr& object, base::Time now) {
  if (!object) return Invalidated();
  if (kube::Uid(object->value()) != claim["uid"].AsString()) {
    return Invalidated(fmt::format("UID ({}) does not match claim ({})", kube::Uid(object->value()),
                                   claim["uid"].AsString()));
  }
  if (ShouldBeGone(object->value(), now)) return Invalidated();
  return {};
}

}  // namespace

base::Status BindClaims(Core& core, const api::ObjectKey& account, const json::Value& ref,
                        json::Value& claims) {
  const BoundKind* const kind = FindBoundKind(ref);
  if (kind == nullptr) {
    return BadRequest("cannot bind token to object of type " + GroupVersionKind(ref));
  }
  const std::string name = ref["name"].ToString();
  const store::VersionPtr found = Look(core, *kind, account.ns, name);
  if (!found) {
    return ObjectNotFound({"", "v1", std::string(kind->storage + 1), kind->kind, kind->namespaced},
                          name);
  }
  const json::Value& object = found->value();
  const bool is_pod = kind == &kBoundKinds[0];
  if (is_pod && object["spec"]["serviceAccountName"].AsString() != account.name) {
    return BadRequest(
        fmt::format("cannot bind token for serviceaccount \"{}\" to pod running with "
                    "different serviceaccount name.",
                    account.name));
  }
  const std::string_view uid = ref["uid"].AsString();
  if (!uid.empty() && uid != kube::Uid(object)) {
    return WriteConflict({"", "v1", kind->kind, kind->kind, kind->namespaced}, name,
                         fmt::format("the UID in the bound object reference ({}) does not match "
                                     "the UID in record. The object might have been deleted and "
                                     "then recreated",
                                     uid));
  }
  claims.Set(kind->claim, BoundClaim(object));
  if (is_pod) AddNodeOf(core, object, claims);
  return {};
}

base::Status CheckClaims(Core& core, const json::Value& claims) {
  const base::Time now = core.clock().Now();
  const std::string ns = claims["namespace"].ToString();
  const json::Value& account = claims["serviceaccount"];
  COPPICE_TRY(CheckClaim(
      account, core.store().Get("/serviceaccounts", ns + "/" + account["name"].ToString()), now));
  for (const BoundKind& kind : kBoundKinds) {
    const json::Value& claim = claims[kind.claim];
    // A pod's token names the pod's node, but does not expire with it.
    const bool told = !kind.namespaced && claims.Has("pod");
    if (claim.IsNull() || told) continue;
    COPPICE_TRY(CheckClaim(claim, Look(core, kind, ns, claim["name"].AsString()), now));
  }
  return {};
}

}  // namespace coppice::server
