#include "server/requests/write_rules.h"

#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "api/well_known.h"
#include "kube/object.h"
#include "server/auth/aggregation.h"
#include "server/auth/token_secrets.h"
#include "server/core/namespaces.h"
#include "server/crd/crd_serving.h"
#include "server/model/errors.h"
#include "server/model/object_meta.h"
#include "server/requests/scale.h"

namespace coppice::server {

base::Status CheckNamespaceAcceptsContent(Core& core, const Request& request,
                                          const json::Value& object) {
  if (!request.resource().namespaced) return {};
  const store::VersionPtr ns = core.store().GetNewest("/namespaces", request.ns);
  if (!ns) return ObjectNotFound(api::kNamespaces, request.ns);
  if (!kube::IsDeleting(ns->value())) return {};
  return Forbidden(request.resource(), kube::Name(object),
                   fmt::format("unable to create new content in namespace {} because it is being "
                               "terminated",
                               request.ns));
}

namespace {

// What is scaled passes admission as its Scale: rules about the object do not concern it.
bool IsScaled(const Request& request) { return request.tracked_as == "scale"; }

AdmissionRequest ScaleRequest(const Request& request, const json::Value& scale,
                              const json::Value& old_scale) {
  AdmissionRequest admission = MakeAdmissionRequest(request, Operation::kUpdate, scale, old_scale);
  admission.subresource = "scale";
  return admission;
}

base::Status MutateScale(Core& core, const Request& request, const json::Value& old,
                         json::Value& object) {
  const json::Value old_scale = ScaleOf(*request.served, old);
  json::Value scale = ScaleOf(*request.served, object);
  COPPICE_TRY(core.admission().Mutate(ScaleRequest(request, scale, old_scale), scale));
  SetScale(*request.served, scale, object);
  return {};
}

}  // namespace

base::Status Complete(Core& core, const Request& request, Operation operation,
                      const json::Value& old, json::Value& object) {
  // A status of a built-in kind has no defaults, and the rest of the object has its own already.
  const bool defaults = request.subresource != "status" || request.served->custom;
  if (defaults) request.served->rules->Default(object);
  if (IsScaled(request)) return MutateScale(core, request, old, object);
  json::Value changed = object;
  COPPICE_TRY(
      core.admission().Mutate(MakeAdmissionRequest(request, operation, changed, old), changed));
  if (changed.SameAs(object)) return {};
  object = std::move(changed);
  if (defaults) request.served->rules->Default(object);
  return {};
}

base::Status CheckObject(Core& core, const Request& request, const json::Value& old,
                         const json::Value& object) {
  const KindRules& rules = *request.served->rules;
  const RuleContext context = core.rule_context();
  Causes causes;
  ValidateMetadata(*request.served, core.kubernetes_version(), object, old, causes);
  if (old.IsNull()) {
    rules.Validate(context, object, causes);
  } else {
    ValidateMetadataUpdate(object, old, causes);
    if (request.subresource == "status") {
      rules.ValidateStatusUpdate(context, object, old, causes);
    } else {
      rules.Validate(context, object, causes);
      if (request.subresource.empty()) {
        rules.ValidateUpdate(context, object, old, causes);
      } else {
        rules.ValidatePartUpdate(context, request.subresource, object, old, causes);
      }
    }
  }
  if (!causes.empty()) {
    return api::InvalidObject(request.resource(), kube::Name(object), std::move(causes));
  }
  if (IsScaled(request)) {
    const json::Value scale = ScaleOf(*request.served, object);
    const json::Value old_scale = ScaleOf(*request.served, old);
    return core.admission().Validate(ScaleRequest(request, scale, old_scale));
  }
  const Operation operation = old.IsNull() ? Operation::kCreate : Operation::kUpdate;
  return core.admission().Validate(MakeAdmissionRequest(request, operation, object, old));
}

void AfterWrite(Core& core, const ServedResource& served, const json::Value& object, bool created) {
  if (served.storage == kCrdStorage) ServeCrd(core, kube::Name(object));
  if (served.storage == "rbac.authorization.k8s.io/clusterroles") AggregateClusterRoles(core);
  if (created && served.storage == "/namespaces") FillNamespace(core, kube::Name(object));
  if (created && served.storage == "/secrets") FillTokenSecret(core, object);
}

void AfterDelete(Core& core, const ServedResource& served, const json::Value& object) {
  if (served.storage == kCrdStorage) ServeCrd(core, kube::Name(object));
  // Every live namespace has its ServiceAccount and certificates, even if they are deleted.
  if (served.storage == "/serviceaccounts" || served.storage == "/configmaps") {
    const store::VersionPtr ns = core.store().Get("/namespaces", kube::Namespace(object));
    const bool needed = kube::Name(object) == "default" || kube::Name(object) == "kube-root-ca.crt";
    if (needed && ns && !kube::IsDeleting(ns->value())) FillNamespace(core, ns->name());
  }
}

}  // namespace coppice::server
