#include <fmt/format.h>

#include <set>

#include "server/kinds/checks.h"
#include "server/kinds/pod/pod_spec.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

void ValidatePorts(const json::Value& ports, const std::string& path, Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < ports.size(); ++i) {
    const json::Value& port = ports.At(i);
    const std::string place = Index(path, i);
    if (port["containerPort"].AsInt() == 0) {
      causes.push_back(api::RequiredField(Child(place, "containerPort")));
    } else {
      CheckPort(port["containerPort"], Child(place, "containerPort"), causes);
    }
    if (port.Has("hostPort")) CheckPort(port["hostPort"], Child(place, "hostPort"), causes);
    CheckOneOf(port["protocol"], {"SCTP", "TCP", "UDP"}, Child(place, "protocol"), causes);
    const std::string name = port["name"].ToString();
    if (!name.empty() && !names.insert(name).second) {
      causes.push_back(api::DuplicateField(Child(place, "name"), port["name"]));
    }
  }
}

void ValidateEnvironment(const json::Value& env, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < env.size(); ++i) {
    const json::Value& variable = env.At(i);
    const std::string place = Index(path, i);
    if (variable["name"].AsString().empty())
      causes.push_back(api::RequiredField(Child(place, "name")));
    if (!variable["value"].AsString().empty() && variable["valueFrom"].IsObject()) {
      causes.push_back(api::InvalidField(Child(place, "valueFrom"), "",
                                         "may not be specified when `value` is not empty"));
    }
  }
}

void ValidateMounts(const json::Value& mounts, const std::set<std::string>& volumes,
                    const std::string& path, Causes& causes) {
  std::set<std::string> places;
  for (size_t i = 0; i < mounts.size(); ++i) {
    const json::Value& mount = mounts.At(i);
    const std::string place = Index(path, i);
    const std::string name = mount["name"].ToString();
    if (name.empty()) {
      causes.push_back(api::RequiredField(Child(place, "name")));
    } else if (!volumes.count(name)) {
      causes.push_back(api::NotFoundField(Child(place, "name"), mount["name"]));
    }
    const std::string target = mount["mountPath"].ToString();
    if (target.empty()) {
      causes.push_back(api::RequiredField(Child(place, "mountPath")));
    } else if (!places.insert(target).second) {
      causes.push_back(api::InvalidField(Child(place, "mountPath"), target, "must be unique"));
    }
  }
}

struct ContainerContext {
  std::set<std::string> volumes;
  std::set<std::string> names;  // Of all containers, also those of other lists.
};

void ValidateContainer(const json::Value& container, const std::string& path,
                       ContainerContext& context, Causes& causes) {
  const std::string name = container["name"].ToString();
  if (name.empty()) {
    causes.push_back(api::RequiredField(Child(path, "name")));
  } else {
    CheckProblems(container["name"], api::Dns1123LabelProblems(name), Child(path, "name"), causes);
    if (!context.names.insert(name).second) {
      causes.push_back(api::DuplicateField(Child(path, "name"), container["name"]));
    }
  }
  const std::string image = container["image"].ToString();
  if (image.empty()) {
    causes.push_back(api::RequiredField(Child(path, "image")));
  } else if (image.front() == ' ' || image.back() == ' ') {
    causes.push_back(api::InvalidField(Child(path, "image"), image,
                                       "must not have leading or trailing whitespace"));
  }
  CheckOneOf(container["imagePullPolicy"], {"Always", "IfNotPresent", "Never"},
             Child(path, "imagePullPolicy"), causes);
  CheckOneOf(container["terminationMessagePolicy"], {"File", "FallbackToLogsOnError"},
             Child(path, "terminationMessagePolicy"), causes);
  ValidatePorts(container["ports"], Child(path, "ports"), causes);
  ValidateEnvironment(container["env"], Child(path, "env"), causes);
  ValidateMounts(container["volumeMounts"], context.volumes, Child(path, "volumeMounts"), causes);
  ValidateResources(container["resources"], Child(path, "resources"), causes);
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

std::set<std::string> ValidateVolumes(const json::Value& volumes, const std::string& path,
                                      Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < volumes.size(); ++i) {
    const json::Value& volume = volumes.At(i);
    const std::string place = Index(path, i);
    const std::string name = volume["name"].ToString();
    if (name.empty()) {
      causes.push_back(api::RequiredField(Child(place, "name")));
    } else {
      CheckProblems(volume["name"], api::Dns1123LabelProblems(name), Child(place, "name"), causes);
      if (!names.insert(name).second) {
        causes.push_back(api::DuplicateField(Child(place, "name"), volume["name"]));
      }
    }
    if (volume.size() < 2)
      causes.push_back(api::RequiredField(place, "must specify a volume type"));
    if (volume.size() > 2) {
      causes.push_back(api::ForbiddenField(place, "may not specify more than 1 volume type"));
    }
  }
  return names;
}

void ValidateTolerations(const json::Value& tolerations, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < tolerations.size(); ++i) {
    const json::Value& toleration = tolerations.At(i);
    const std::string place = Index(path, i);
    const std::string_view op = toleration["operator"].AsString();
    if (toleration["key"].AsString().empty() && op != "Exists") {
      causes.push_back(api::InvalidField(
          Child(place, "operator"), toleration["operator"].AsString(),
          "operator must be Exists when `key` is empty, which means \"match all values and all "
          "keys\""));
    }
    if (op == "Exists" && !toleration["value"].AsString().empty()) {
      causes.push_back(api::InvalidField(Child(place, "operator"), toleration["value"],
                                         "value must be empty when `operator` is 'Exists'"));
    }
    if (!op.empty()) {
      CheckOneOf(toleration["operator"], {"Equal", "Exists"}, Child(place, "operator"), causes);
    }
    if (!toleration["effect"].AsString().empty()) {
      CheckOneOf(toleration["effect"], {"NoExecute", "NoSchedule", "PreferNoSchedule"},
                 Child(place, "effect"), causes);
    }
    if (toleration.Has("tolerationSeconds") && toleration["effect"].AsString() != "NoExecute") {
      causes.push_back(api::InvalidField(Child(place, "effect"), toleration["effect"].AsString(),
                                         "effect must be 'NoExecute' when `tolerationSeconds` is "
                                         "set"));
    }
  }
}

void ValidateSpread(const json::Value& constraints, const std::string& path, Causes& causes) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    const json::Value& constraint = constraints.At(i);
    const std::string place = Index(path, i);
    if (constraint["maxSkew"].AsInt() <= 0) {
      causes.push_back(api::InvalidField(Child(place, "maxSkew"), constraint["maxSkew"].AsInt(),
                                         "must be greater than zero"));
    }
    if (constraint["topologyKey"].AsString().empty()) {
      causes.push_back(api::RequiredField(Child(place, "topologyKey"), "can not be empty"));
    }
    CheckOneOf(constraint["whenUnsatisfiable"], {"DoNotSchedule", "ScheduleAnyway"},
               Child(place, "whenUnsatisfiable"), causes);
  }
}

void ValidateGates(const json::Value& gates, const std::string& path, Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < gates.size(); ++i) {
    const json::Value& name = gates.At(i)["name"];
    const std::string place = Child(Index(path, i), "name");
    CheckProblems(name, api::LabelKeyProblems(name.AsString()), Index(path, i), causes);
    if (!names.insert(name.ToString()).second)
      causes.push_back(api::DuplicateField(Index(path, i), name));
  }
}

void ValidateNodeSelector(const json::Value& selector, const std::string& path, Causes& causes) {
  for (const json::Member& label : selector.Members()) {
    CheckProblems(label.key, api::LabelKeyProblems(label.name()), path, causes);
    CheckProblems(label.value, api::LabelValueProblems(label.value.AsString()), path, causes);
  }
}

void ValidateClaims(const json::Value& claims, const std::string& path, Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < claims.size(); ++i) {
    const json::Value& claim = claims.At(i);
    const std::string place = Index(path, i);
    if (!names.insert(claim["name"].ToString()).second) {
      causes.push_back(api::DuplicateField(Child(place, "name"), claim["name"]));
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
    causes.push_back(api::RequiredField(Child(path, "schedulingGroup.podGroupName")));
  }
}

}  // namespace

void ValidatePodSpec(const json::Value& spec, const std::string& path, Causes& causes) {
  ContainerContext context;
  context.volumes = ValidateVolumes(spec["volumes"], Child(path, "volumes"), causes);
  if (spec["containers"].empty()) causes.push_back(api::RequiredField(Child(path, "containers")));
  for (const char* list : {"containers", "initContainers"}) {
    const json::Value& containers = spec[list];
    for (size_t i = 0; i < containers.size(); ++i) {
      ValidateContainer(containers.At(i), Index(Child(path, list), i), context, causes);
    }
  }
  ValidateEphemeral(spec, path, context, causes);
  CheckOneOf(spec["restartPolicy"], {"Always", "OnFailure", "Never"}, Child(path, "restartPolicy"),
             causes);
  CheckOneOf(spec["dnsPolicy"], {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"},
             Child(path, "dnsPolicy"), causes);
  if (spec.Has("activeDeadlineSeconds") && spec["activeDeadlineSeconds"].AsInt() < 1) {
    causes.push_back(api::InvalidField(Child(path, "activeDeadlineSeconds"),
                                       spec["activeDeadlineSeconds"],
                                       "must be between 1 and 2147483647, inclusive"));
  }
  if (!spec["serviceAccountName"].AsString().empty()) {
    CheckProblems(spec["serviceAccountName"],
                  api::Dns1123SubdomainProblems(spec["serviceAccountName"].AsString()),
                  Child(path, "serviceAccountName"), causes);
  }
  ValidateNodeSelector(spec["nodeSelector"], Child(path, "nodeSelector"), causes);
  ValidateTolerations(spec["tolerations"], Child(path, "tolerations"), causes);
  ValidateSpread(spec["topologySpreadConstraints"], Child(path, "topologySpreadConstraints"),
                 causes);
  ValidateGates(spec["schedulingGates"], Child(path, "schedulingGates"), causes);
  ValidateClaims(spec["resourceClaims"], Child(path, "resourceClaims"), causes);
  ValidateGroupReferences(spec, path, causes);
}

void ValidatePodTemplate(const json::Value& pod_template, const std::string& path, Causes& causes) {
  const std::string labels = Child(path, "metadata.labels");
  for (const json::Member& label : pod_template["metadata"]["labels"].Members()) {
    CheckProblems(label.key, api::LabelKeyProblems(label.name()), labels, causes);
    CheckProblems(label.value, api::LabelValueProblems(label.value.AsString()), labels, causes);
  }
  ValidatePodSpec(pod_template["spec"], Child(path, "spec"), causes);
}

}  // namespace coppice::server
