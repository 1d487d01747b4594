#include <fmt/format.h>

#include <algorithm>

#include "api/well_known.h"
#include "json/parse.h"
#include "kube/object.h"
#include "server/model/errors.h"
#include "server/plugins/plugins.h"

namespace coppice::server {
namespace {

constexpr std::string_view kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::string_view kVolumePrefix = "kube-api-access-";
// A little more than an hour, which distinguishes the token from those that users request.
constexpr std::string_view kTokenSources = R"([
  {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
  {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
  {"downwardAPI": {"items": [{"path": "namespace",
    "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}]}}])";

json::Value TokenVolume(const std::string& name) {
  static const json::Value projected =
      json::Value::Object({{"defaultMode", 0644}, {"sources", *json::Parse(kTokenSources)}});
  return json::Value::Object({{"name", name}, {"projected", projected}});
}

bool MountsToken(const json::Value& container) {
  const auto mounts = container["volumeMounts"].Items();
  return std::any_of(mounts.begin(), mounts.end(), [](const json::Value& mount) {
    return mount["mountPath"].AsString() == kTokenPath;
  });
}

// The token's volume that an earlier pass, or a client who copied a pod, has left.
std::string VolumeOf(const json::Value& spec) {
  for (const json::Value& volume : spec["volumes"].Items()) {
    if (volume["name"].AsString().starts_with(kVolumePrefix)) return volume["name"].ToString();
  }
  return "";
}

bool WantsToken(const json::Value& spec, const json::Value& account) {
  if (spec.Has("automountServiceAccountToken")) {
    return spec["automountServiceAccountToken"].AsBool();
  }
  return account["automountServiceAccountToken"].AsBool(true);
}

class ServiceAccountPlugin final : public AdmissionPlugin {
 public:
  explicit ServiceAccountPlugin(Core& core) : store_(core.store()), ids_(core.ids()) {}

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override {
    return request.operation == Operation::kCreate && request.subresource.empty() &&
           request.resource == api::kPods;
  }

  base::Status Mutate(const AdmissionRequest& request, json::Value& pod) override {
    json::Value& spec = pod.Mutable("spec");
    if (!kube::Annotation(pod, "kubernetes.io/config.mirror").empty()) {
      return CheckMirror(request, spec);
    }
    if (spec["serviceAccountName"].AsString().empty()) spec.Set("serviceAccountName", "default");
    spec.Set("serviceAccount", spec["serviceAccountName"]);
    const std::string name = spec["serviceAccountName"].ToString();
    const store::VersionPtr account = store_.Get("/serviceaccounts", request.key.ns + "/" + name);
    if (!account) {
      return Forbidden(
          api::kPods, request.key.name,
          fmt::format("error looking up service account {0}/{1}: serviceaccount \"{1}\" not found",
                      request.key.ns, name));
    }
    if (WantsToken(spec, account->value())) MountToken(spec);
    const json::Value& secrets = account->value()["imagePullSecrets"];
    if (spec["imagePullSecrets"].empty() && !secrets.empty()) spec.Set("imagePullSecrets", secrets);
    return {};
  }

 private:
  static base::Status CheckMirror(const AdmissionRequest& request, const json::Value& spec) {
    if (spec["serviceAccountName"].AsString().empty()) return {};
    return Forbidden(api::kPods, request.key.name,
                     "a mirror pod may not reference service accounts");
  }

  void MountToken(json::Value& spec) {
    std::string volume = VolumeOf(spec);
    const bool known = !volume.empty();
    if (!known) volume = std::string(kVolumePrefix) + ids_.Suffix();
    bool used = false;
    for (const char* list : {"initContainers", "containers"}) {
      for (size_t i = 0; i < spec[list].size(); ++i) {
        if (MountsToken(spec[list].At(i))) continue;
        used = true;
        spec.Mutable(list)
            .MutableAt(i)
            .Mutable("volumeMounts")
            .Append(json::Value::Object(
                {{"name", volume}, {"readOnly", true}, {"mountPath", kTokenPath}}));
      }
    }
    if (used && !known) spec.Mutable("volumes").Append(TokenVolume(volume));
  }

  const std::string name_ = "ServiceAccount";
  const store::Store& store_;
  IdSource& ids_;
};

}  // namespace

std::shared_ptr<AdmissionPlugin> ServiceAccounts(Core& core) {
  return std::make_shared<ServiceAccountPlugin>(core);
}

}  // namespace coppice::server
