#include <fmt/format.h>

#include <set>

#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/selectors.h"
#include "server/kinds/pod/pod_parts.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

struct ContainerContext {
  std::set<std::string> volumes;
  std::set<std::string> claims;
  std::set<std::string> names;       // Of all containers, also those of other lists.
  std::set<std::string> host_ports;  // Of those in the same list.
  bool host_network = false;
  int64_t grace = 0;
};

void CheckHostPort(const json::Value& port, const std::string& path, ContainerContext& context,
                   Causes& causes) {
  if (!port.Has("hostPort")) return;
  const json::Value& host = port["hostPort"];
  CheckPort(host, path, causes);
  if (context.host_network && host != port["containerPort"]) {
    causes.push_back(
        api::InvalidField(path, host, "must match `containerPort` when `hostNetwork` is true"));
  }
  const std::string place =
      fmt::format("{}/{}/{}", port["protocol"].AsString(), port["hostIP"].AsString(), host.AsInt());
  if (!context.host_ports.insert(place).second) {
    causes.push_back(api::DuplicateField(path, place));
  }
}

void ValidatePorts(const json::Value& ports, const std::string& path, ContainerContext& context,
                   Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const json::Value& port = ports.At(i);
    const std::string place = Index(path, i);
    const std::string name = port["name"].ToString();
    if (!name.empty()) {
      CheckPortName(port["name"], Child(place, "name"), causes);
      if (!names.insert(name).second) {
        causes.push_back(api::DuplicateField(Child(place, "name"), port["name"]));
      }
    }
    if (port["containerPort"].AsInt() == 0) {
      causes.push_back(api::RequiredField(Child(place, "containerPort")));
    } else {
      CheckPort(port["containerPort"], Child(place, "containerPort"), causes);
    }
    CheckHostPort(port, Child(place, "hostPort"), context, causes);
    CheckOneOf(port["protocol"], {"SCTP", "TCP", "UDP"}, Child(place, "protocol"), causes);
  }
}

void ValidateResizing(const json::Value& policies, const std::string& path, Causes& causes) {
  for (const json::Value& policy : policies.Items()) {
    CheckOneOf(policy["resourceName"], {"cpu", "memory"}, path, causes);
    CheckOneOf(policy["restartPolicy"], {"NotRequired", "RestartContainer"}, path, causes);
  }
}

void CheckContainerName(const json::Value& container, const std::string& path,
                        ContainerContext& context, Causes& causes) {
  const std::string name = container["name"].ToString();
  if (name.empty()) {
    causes.push_back(api::RequiredField(Child(path, "name")));
    return;
  }
  CheckProblems(container["name"], api::Dns1123LabelProblems(name), Child(path, "name"), causes);
  if (!context.names.insert(name).second) {
    causes.push_back(api::DuplicateField(Child(path, "name"), container["name"]));
  }
}

void CheckImage(const json::Value& container, const std::string& path, Causes& causes) {
  const std::string image = container["image"].ToString();
  if (image.empty()) {
    causes.push_back(api::RequiredField(Child(path, "image")));
  } else if (image.front() == ' ' || image.back() == ' ') {
    causes.push_back(api::InvalidField(Child(path, "image"), image,
                                       "must not have leading or trailing whitespace"));
  }
  CheckOneOf(container["imagePullPolicy"], {"Always", "IfNotPresent", "Never"},
             Child(path, "imagePullPolicy"), causes);
}

void ValidateContainer(const json::Value& container, const std::string& path,
                       ContainerContext& context, Causes& causes) {
  CheckContainerName(container, path, context, causes);
  CheckImage(container, path, causes);
  CheckOneOf(container["terminationMessagePolicy"], {"File", "FallbackToLogsOnError"},
             Child(path, "terminationMessagePolicy"), causes);
  if (container.Has("restartPolicy")) {
    CheckOneOf(container["restartPolicy"], {"Always", "Never", "OnFailure"},
               Child(path, "restartPolicy"), causes);
  }
  ValidatePorts(container["ports"], Child(path, "ports"), context, causes);
  ValidateEnvironment(container, path, causes);
  ValidateMounts(container["volumeMounts"], context.volumes, Child(path, "volumeMounts"), causes);
  ValidateBlockDevices(container["volumeDevices"], context.volumes, Child(path, "volumeDevices"),
                       causes);
  ValidateResources(container["resources"], Child(path, "resources"), causes);
  ValidateClaimUse(container["resources"]["claims"], context.claims,
                   Child(path, "resources.claims"), causes);
  ValidateResizing(container["resizePolicy"], Child(path, "resizePolicy"), causes);
  ValidateContainerSecurity(container["securityContext"], Child(path, "securityContext"), causes);
}

// One that ends before the others start has nothing to probe.
void ValidateInit(const json::Value& container, const std::string& path, ContainerContext& context,
                  Causes& causes) {
  ContainerContext own = context;
  own.host_ports.clear();
  ValidateContainer(container, path, own, causes);
  context.names = own.names;
  if (container["restartPolicy"].AsString() == "Always") {
    ValidateProbes(container, context.grace, path, causes);
    return;
  }
  for (const char* field : {"lifecycle", "livenessProbe", "readinessProbe", "startupProbe"}) {
    if (!container.Has(field)) continue;
    causes.push_back(api::ForbiddenField(
        Child(path, field), "may not be set for init containers without restartPolicy=Always"));
  }
}

// A container to look into the others with: it is never restarted, probed or paid for.
void ValidateEphemeral(const json::Value& spec, const std::string& path, ContainerContext& context,
                       Causes& causes) {
  const std::set<std::string> targets = context.names;
  const json::Value& containers = spec["ephemeralContainers"];
  for (size_t i = 0; i < containers.size(); ++i) {
    const json::Value& container = containers.At(i);
    const std::string place = Index(Child(path, "ephemeralContainers"), i);
    for (const char* field : {"ports", "livenessProbe", "readinessProbe", "startupProbe",
                              "lifecycle", "resources", "resizePolicy"}) {
      if (container[field].empty()) continue;
      causes.push_back(
          api::ForbiddenField(Child(place, field), "cannot be set for an Ephemeral Container"));
    }
    const json::Value& target = container["targetContainerName"];
    if (!target.AsString().empty() && !targets.contains(target.ToString())) {
      causes.push_back(api::NotFoundField(Child(place, "targetContainerName"), target));
    }
    json::Value checked = container;
    checked.Erase("ports"), checked.Erase("resources");
    ValidateContainer(checked, place, context, causes);
  }
}

void ValidateClaim(const json::Value& claim, const std::string& place, Causes& causes) {
  if (claim["name"].AsString().empty()) {
    causes.push_back(api::RequiredField(Child(place, "name")));
  } else {
    CheckProblems(claim["name"], api::Dns1123LabelProblems(claim["name"].AsString()),
                  Child(place, "name"), causes);
  }
  for (const char* field : {"resourceClaimName", "resourceClaimTemplateName"}) {
    if (!claim.Has(field)) continue;
    CheckProblems(claim[field], api::Dns1123SubdomainProblems(claim[field].AsString()),
                  Child(place, field), causes);
  }
  const bool one = claim.Has("resourceClaimName"), other = claim.Has("resourceClaimTemplateName");
  if (one && other) {
    causes.push_back(api::InvalidField(place, claim["name"],
                                       "at most one of `resourceClaimName` or "
                                       "`resourceClaimTemplateName` may be specified"));
  } else if (!one && !other) {
    causes.push_back(api::InvalidField(place, claim["name"],
                                       "must specify one of: `resourceClaimName`, "
                                       "`resourceClaimTemplateName`"));
  }
}

// Returns their names.
std::set<std::string> ValidateClaims(const json::Value& claims, const std::string& path,
                                     Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < claims.size(); ++i) {
    const std::string place = Index(path, i);
    if (!names.insert(claims.At(i)["name"].ToString()).second) {
      causes.push_back(api::DuplicateField(Child(place, "name"), claims.At(i)["name"]));
    }
    ValidateClaim(claims.At(i), place, causes);
  }
  return names;
}

void ValidateGroupReferences(const json::Value& spec, const std::string& path, Causes& causes) {
  const json::Value& workload = spec["workloadRef"];
  if (workload.IsObject()) {
    const std::string place = Child(path, "workloadRef");
    CheckProblems(workload["name"], api::Dns1123SubdomainProblems(workload["name"].AsString()),
                  Child(place, "name"), causes);
    CheckProblems(workload["podGroup"], api::Dns1123LabelProblems(workload["podGroup"].AsString()),
                  Child(place, "podGroup"), causes);
  }
  const json::Value& group = spec["schedulingGroup"];
  if (group.IsObject() && group["podGroupName"].AsString().empty()) {
    causes.push_back(api::InvalidField(Child(path, "schedulingGroup.podGroupName"), json::Value(),
                                       "must specify one of: `podGroupName`"));
  }
}

void ValidateContainers(const json::Value& spec, const std::string& path, ContainerContext& context,
                        Causes& causes) {
  const json::Value& containers = spec["containers"];
  if (containers.empty()) causes.push_back(api::RequiredField(Child(path, "containers")));
  for (size_t i = 0; i < containers.size(); ++i) {
    const std::string place = Index(Child(path, "containers"), i);
    ValidateContainer(containers.At(i), place, context, causes);
    ValidateProbes(containers.At(i), context.grace, place, causes);
  }
  const json::Value& first = spec["initContainers"];
  for (size_t i = 0; i < first.size(); ++i) {
    ValidateInit(first.At(i), Index(Child(path, "initContainers"), i), context, causes);
  }
  ValidateEphemeral(spec, path, context, causes);
}

void CheckDeadline(const json::Value& seconds, const std::string& path, Causes& causes) {
  if (!seconds.IsInt() || (seconds.AsInt() >= 1 && seconds.AsInt() <= 2147483647)) return;
  causes.push_back(api::InvalidField(path, seconds, "must be between 1 and 2147483647, inclusive"));
}

void CheckSystem(const json::Value& system, const std::string& path, Causes& causes) {
  if (system["name"].AsString().empty()) {
    causes.push_back(api::RequiredField(Child(path, "name")));
  } else {
    CheckOneOf(system["name"], {"linux", "windows"}, path, causes);
  }
}

void CheckReadinessGates(const json::Value& gates, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < gates.size(); ++i) {
    const json::Value type = gates.At(i)["conditionType"].AsString();
    CheckProblems(type, api::LabelKeyProblems(type.AsString()),
                  Child(Index(path, i), "conditionType"), causes);
  }
}

}  // namespace

void ValidatePodSpec(const json::Value& spec, const std::string& path, Causes& causes) {
  ContainerContext context;
  context.host_network = spec["hostNetwork"].AsBool();
  context.grace = spec["terminationGracePeriodSeconds"].AsInt();
  context.volumes = ValidateVolumes(spec["volumes"], Child(path, "volumes"), causes);
  context.claims = ValidateClaims(spec["resourceClaims"], Child(path, "resourceClaims"), causes);
  ValidateContainers(spec, path, context, causes);
  ValidatePodResources(spec["resources"], Child(path, "resources"), causes);
  CheckOneOf(spec["restartPolicy"], {"Always", "OnFailure", "Never"}, Child(path, "restartPolicy"),
             causes);
  CheckOneOf(spec["dnsPolicy"], {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
             Child(path, "dnsPolicy"), causes);
  CheckDeadline(spec["activeDeadlineSeconds"], Child(path, "activeDeadlineSeconds"), causes);
  for (const char* field : {"serviceAccountName", "nodeName"}) {
    if (spec[field].AsString().empty()) continue;
    CheckProblems(spec[field], api::Dns1123SubdomainProblems(spec[field].AsString()),
                  Child(path, field), causes);
  }
  if (spec["os"].IsObject()) CheckSystem(spec["os"], Child(path, "os"), causes);
  CheckReadinessGates(spec["readinessGates"], Child(path, "readinessGates"), causes);
  ValidatePodSecurity(spec, path, causes);
  ValidateHostNames(spec, path, causes);
  ValidatePlacement(spec, path, causes);
  ValidateGroupReferences(spec, path, causes);
}

void ValidatePodTemplate(const json::Value& pod_template, const std::string& path, Causes& causes) {
  CheckLabels(pod_template["metadata"]["labels"], Child(path, "metadata.labels"), causes);
  ValidatePodSpec(pod_template["spec"], Child(path, "spec"), causes);
}

}  // namespace coppice::server
