#include "server/namespaces.h"

#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"

namespace coppice::server {
namespace {

void CreateQuietly(Core& core, const api::Resource& resource, std::string_view ns,
                   json::Value object) {
  Request request{.served = core.registry()->Find(resource),
                  .ns = std::string(ns),
                  .user = User::Admin(),
                  .field_manager = "kube-controller-manager"};
  const base::Result<Outcome> created = core.Create(request, std::move(object));
  if (created || created.Is(base::ErrorCode::kAlreadyExists)) return;
  base::LogWarn("default content of a namespace cannot be created",
                {{"namespace", ns}, {"error", created.error().ToString()}});
}

}  // namespace

base::Status EnsureNamespace(Core& core, std::string_view name) {
  if (core.store().Get("/namespaces", name)) return {};
  Request request{.served = core.registry()->Find(api::kNamespaces),
                  .user = User::Admin(),
                  .field_manager = "kube-apiserver"};
  const base::Result<Outcome> created =
      core.Create(request, kube::NewObject(api::kNamespaces, "", name));
  if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) return created.error();
  return {};
}

void FillNamespace(Core& core, std::string_view name) {
  CreateQuietly(core, api::kServiceAccounts, name,
                kube::NewObject(api::kServiceAccounts, name, "default"));
  json::Value roots = kube::NewObject(api::kConfigMaps, name, "kube-root-ca.crt");
  roots.Mutable("metadata").Mutable("annotations").Set(
      "kubernetes.io/description",
      "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
      "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
      "guaranteed across distributions of Kubernetes clusters.");
  roots.Set("data", json::Value::Object({{"ca.crt", core.ca_certificate()}}));
  CreateQuietly(core, api::kConfigMaps, name, std::move(roots));
}

void PublishCa(Core& core) {
  const auto namespaces = core.store().List("/namespaces", {});
  if (!namespaces) return;
  for (const store::VersionPtr& ns : namespaces->items) {
    Request request{.served = core.registry()->Find(api::kConfigMaps),
                    .ns = ns->name(),
                    .name = "kube-root-ca.crt",
                    .user = User::Admin()};
    const auto result = core.ModifyQuietly(request, [&](const json::Value& current) {
      json::Value next = current;
      next.Mutable("data").Set("ca.crt", core.ca_certificate());
      return base::Result<json::Value>(std::move(next));
    });
    if (!result && !result.Is(base::ErrorCode::kNotFound)) {
      base::LogWarn("the CA certificate cannot be published", {{"namespace", ns->name()}});
    }
  }
}

}  // namespace coppice::server
