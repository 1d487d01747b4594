#include "server/authorization/pod_references.h"

#include <fmt/format.h>

#include "kube/object.h"

namespace coppice::server {
namespace {

using Names = std::set<std::string, std::less<>>;

void AddName(const json::Value& name, Names& names) {
  if (!name.AsString().empty()) names.emplace(name.AsString());
}

void AddContainer(const json::Value& container, PodReferences& found) {
  for (const json::Value& source : container["envFrom"].Items()) {
    AddName(source["secretRef"]["name"], found.secrets);
    AddName(source["configMapRef"]["name"], found.config_maps);
  }
  for (const json::Value& variable : container["env"].Items()) {
    AddName(variable["valueFrom"]["secretKeyRef"]["name"], found.secrets);
    AddName(variable["valueFrom"]["configMapKeyRef"]["name"], found.config_maps);
  }
}

void AddVolume(const json::Value& volume, std::string_view pod, PodReferences& found) {
  AddName(volume["secret"]["secretName"], found.secrets);
  AddName(volume["azureFile"]["secretName"], found.secrets);
  AddName(volume["csi"]["nodePublishSecretRef"]["name"], found.secrets);
  for (const char* kind :
       {"cephfs", "cinder", "flexVolume", "rbd", "scaleIO", "iscsi", "storageos"}) {
    AddName(volume[kind]["secretRef"]["name"], found.secrets);
  }
  AddName(volume["configMap"]["name"], found.config_maps);
  for (const json::Value& source : volume["projected"]["sources"].Items()) {
    AddName(source["secret"]["name"], found.secrets);
    AddName(source["configMap"]["name"], found.config_maps);
  }
  AddName(volume["persistentVolumeClaim"]["claimName"], found.volume_claims);
  if (volume["ephemeral"].IsObject()) {
    found.volume_claims.insert(fmt::format("{}-{}", pod, volume["name"].AsString()));
  }
}

}  // namespace

PodReferences ReferencesOf(const json::Value& pod) {
  PodReferences found;
  const json::Value& spec = pod["spec"];
  found.service_account = spec["serviceAccountName"].ToString();
  for (const json::Value& secret : spec["imagePullSecrets"].Items()) {
    AddName(secret["name"], found.secrets);
  }
  for (const char* list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const json::Value& container : spec[list].Items()) AddContainer(container, found);
  }
  for (const json::Value& volume : spec["volumes"].Items()) {
    AddVolume(volume, kube::Name(pod), found);
  }
  // The names of claims made from templates are in the status.
  for (const json::Value& claim : spec["resourceClaims"].Items()) {
    AddName(claim["resourceClaimName"], found.resource_claims);
  }
  for (const json::Value& claim : pod["status"]["resourceClaimStatuses"].Items()) {
    AddName(claim["resourceClaimName"], found.resource_claims);
  }
  AddName(pod["status"]["extendedResourceClaimStatus"]["resourceClaimName"], found.resource_claims);
  return found;
}

bool IsMirrorPod(const json::Value& pod) {
  return pod["metadata"]["annotations"].Has("kubernetes.io/config.mirror");
}

}  // namespace coppice::server
