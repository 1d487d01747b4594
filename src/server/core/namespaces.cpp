#include "server/core/namespaces.h"

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
  roots.Mutable("metadata")
      .Mutable("annotations")
      .Set("kubernetes.io/description",
           "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
           "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
           "guaranteed across distributions of Kubernetes clusters.");
  roots.Set("data", json::Value::Object({{"ca.crt", core.ca_certificate()}}));
  CreateQuietly(core, api::kConfigMaps, name, std::move(roots));
}

base::Status EnsureSystemObjects(Core& core) {
  const auto ensure = [&](const api::Resource& resource, json::Value object) -> base::Status {
    Request request{.served = core.registry()->Find(resource),
                    .ns = std::string(kube::Namespace(object)),
                    .user = User::Admin(),
                    .field_manager = "kube-apiserver"};
    const std::string name = request.served->NameOf(request.ns, kube::Name(object));
    if (core.store().Get(request.served->storage, name)) return {};
    COPPICE_TRY(core.Create(request, std::move(object)));
    return {};
  };
  const auto priority = [](const char* name, int64_t value, const char* description) {
    return kube::NewObject(api::kPriorityClasses, "", name)
        .Set("value", value)
        .Set("description", description);
  };
  COPPICE_TRY(ensure(api::kPriorityClasses,
                     priority("system-cluster-critical", 2000000000,
                              "Used for system critical pods that must run in the cluster, but can "
                              "be moved to another node if necessary.")));
  COPPICE_TRY(ensure(api::kPriorityClasses,
                     priority("system-node-critical", 2000001000,
                              "Used for system critical pods that must not be moved from their "
                              "current node.")));
  json::Value service = kube::NewObject(api::kServices, "default", "kubernetes");
  service.Mutable("metadata")
      .Set("labels", json::Value::Object({{"component", "apiserver"}, {"provider", "kubernetes"}}));
  service.Mutable("spec").Set("clusterIP", "10.96.0.1");
  service.Mutable("spec").Set(
      "ports",
      json::Value::Array({json::Value::Object(
          {{"name", "https"}, {"port", 443}, {"protocol", "TCP"}, {"targetPort", 6443}})}));
  return ensure(api::kServices, std::move(service));
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
