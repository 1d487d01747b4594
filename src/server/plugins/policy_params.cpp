#include "server/plugins/policy_params.h"

#include <fmt/format.h>

#include "api/selectors/label_selector.h"

namespace coppice::server {
namespace {

std::vector<json::Value> Find(Core& core, const AdmissionRequest& request,
                              const ServedResource& served, const json::Value& reference) {
  std::string ns = reference["namespace"].ToString(request.key.ns);
  if (!served.resource.namespaced) ns.clear();
  std::vector<json::Value> found;
  if (!reference["name"].AsString().empty()) {
    const store::VersionPtr one =
        core.store().Get(served.storage, served.NameOf(ns, reference["name"].AsString()));
    if (one) found.push_back(one->value());
    return found;
  }
  const auto selector = api::LabelSelector::FromObject(reference["selector"]);
  const auto all = core.store().List(served.storage, {ns.empty() ? "" : ns + "/"});
  if (!selector || !all) return found;
  for (const store::VersionPtr& each : all->items) {
    if (selector->MatchesObject(each->value())) found.push_back(each->value());
  }
  return found;
}

}  // namespace

base::Result<std::vector<json::Value>> PolicyParams(Core& core, const AdmissionRequest& request,
                                                    const json::Value& policy_spec,
                                                    const json::Value& binding_spec) {
  const json::Value& kind = policy_spec["paramKind"];
  const json::Value& reference = binding_spec["paramRef"];
  if (!kind.IsObject() || !reference.IsObject()) return std::vector<json::Value>{json::Value()};
  const ServedPtr served =
      core.registry()->FindKind(kind["apiVersion"].AsString(), kind["kind"].AsString());
  if (!served) {
    return base::NotFound(
        fmt::format("failed to configure policy: failed to find resource "
                    "referenced by paramKind: '{}, Kind={}'",
                    kind["apiVersion"].AsString(), kind["kind"].AsString()));
  }
  std::vector<json::Value> params = Find(core, request, *served, reference);
  const bool deny = reference["parameterNotFoundAction"].AsString() == "Deny";
  if (!params.empty() || !deny) return params;
  return base::NotFound(
      "failed to configure binding: no params found for policy binding with `Deny` "
      "parameterNotFoundAction");
}

}  // namespace coppice::server
