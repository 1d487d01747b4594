#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kube/object.h"
#include "server/printers/cells.h"

namespace coppice::server {
namespace {

std::string IntOrString(Object value) {
  if (value.IsNull()) return "N/A";
  return value.IsString() ? value.ToString() : std::to_string(value.AsInt());
}

Cells Budget(Object o, base::Time now) {
  return {o["metadata"]["name"], IntOrString(o["spec"]["minAvailable"]),
          IntOrString(o["spec"]["maxUnavailable"]), o["status"]["disruptionsAllowed"].AsInt(),
          Age(o, now)};
}

// One metric of an autoscaler: "cpu: 12%/80%", "7/10 (avg)".
std::string MetricText(Object spec, Object status) {
  const std::string type = spec["type"].ToString();
  const std::string member =
      type.empty() ? type : static_cast<char>(std::tolower(type[0])) + type.substr(1);
  Object target = spec[member]["target"];
  Object current = status[member]["current"];
  const bool names_resource = type == "Resource" || type == "ContainerResource";
  const std::string prefix = names_resource ? spec[member]["name"].ToString() + ": " : "";
  if (target.Has("averageValue")) {
    const bool average_of_many = type == "External" || type == "Object";
    return fmt::format("{}{}/{}{}", prefix, current["averageValue"].ToString("<unknown>"),
                       target["averageValue"].ToString(), average_of_many ? " (avg)" : "");
  }
  if (!names_resource) {
    return current["value"].ToString("<unknown>") + "/" + target["value"].ToString();
  }
  const auto percent = [](Object share, const char* otherwise) {
    return share.IsInt() ? fmt::format("{}%", share.AsInt()) : std::string(otherwise);
  };
  return prefix + percent(current["averageUtilization"], "<unknown>") + "/" +
         percent(target["averageUtilization"], "<auto>");
}

std::string MetricsText(Object o) {
  constexpr size_t kShown = 2;
  Object specs = o["spec"]["metrics"];
  if (specs.empty()) return "<none>";
  std::string text;
  for (size_t i = 0; i < std::min(specs.size(), kShown); ++i) {
    if (i > 0) text += ", ";
    text += MetricText(specs.At(i), o["status"]["currentMetrics"].At(i));
  }
  if (specs.size() > kShown) text += fmt::format(" + {} more...", specs.size() - kShown);
  return text;
}

Cells Autoscaler(Object o, base::Time now) {
  Object ref = o["spec"]["scaleTargetRef"];
  const std::string target = ref["kind"].ToString() + "/" + ref["name"].ToString();
  return {
      o["metadata"]["name"],
      target,
      MetricsText(o),
      o["spec"].Has("minReplicas") ? std::to_string(o["spec"]["minReplicas"].AsInt()) : "<unset>",
      o["spec"]["maxReplicas"].AsInt(),
      o["status"]["currentReplicas"].AsInt(),
      Age(o, now)};
}

Cells Lease(Object o, base::Time now) {
  return {o["metadata"]["name"], o["spec"]["holderIdentity"].ToString(), Age(o, now)};
}

Cells PriorityClass(Object o, base::Time now) {
  return {o["metadata"]["name"], o["value"].AsInt(), o["globalDefault"].AsBool(), Age(o, now),
          o["preemptionPolicy"].ToString()};
}

Cells RuntimeClass(Object o, base::Time now) {
  return {o["metadata"]["name"], o["handler"], Age(o, now)};
}

Cells Binding(Object o, base::Time now) {
  const auto subjects = [&](std::string_view kind) {
    std::string text;
    for (const json::Value& subject : o["subjects"].Items()) {
      if (subject["kind"].AsString() != kind) continue;
      if (!text.empty()) text += ", ";
      if (kind == "ServiceAccount") text += subject["namespace"].ToString() + "/";
      text += subject["name"].AsString();
    }
    return text;
  };
  return {o["metadata"]["name"],
          o["roleRef"]["kind"].ToString() + "/" + o["roleRef"]["name"].ToString(),
          Age(o, now),
          subjects("User"),
          subjects("Group"),
          subjects("ServiceAccount")};
}

Cells Claims(Object o, base::Time now) {
  std::string state = o["status"].Has("allocation") ? "allocated" : "pending";
  if (!o["status"]["reservedFor"].empty()) state += ",reserved";
  if (kube::IsDeleting(o)) state = "deleted," + state;
  return {o["metadata"]["name"], state, Age(o, now)};
}

Cells Slice(Object o, base::Time now) {
  Object spec = o["spec"];
  std::string node = spec["nodeName"].ToString();
  if (node.empty()) node = spec["allNodes"].AsBool() ? "<all>" : "<selector>";
  return {o["metadata"]["name"], node, spec["driver"], spec["pool"]["name"], Age(o, now)};
}

Cells Webhooks(Object o, base::Time now) {
  return {o["metadata"]["name"], static_cast<int64_t>(o["webhooks"].size()), Age(o, now)};
}

Cells AdmissionPolicy(Object o, base::Time now) {
  Object kind = o["spec"]["paramKind"];
  std::string params = "<unset>";
  if (kind.IsObject()) params = kind["apiVersion"].ToString() + "/" + kind["kind"].ToString();
  return {NameOf(o), static_cast<int64_t>(o["spec"]["validations"].size()), params, Age(o, now)};
}

Cells AdmissionPolicyBinding(Object o, base::Time now) {
  Object ref = o["spec"]["paramRef"];
  std::string params = "<unset>";
  if (ref.IsObject()) {
    params = ref["namespace"].AsString().empty() ? "*" : ref["namespace"].ToString();
    params += "/" + ref["name"].ToString();
  }
  return {NameOf(o), o["spec"]["policyName"], params, Age(o, now)};
}

}  // namespace

Printers PolicyPrinters() {
  // clang-format off
  return {
      {"policy/poddisruptionbudgets",
       {Columns("Name|Min Available|Max Unavailable|Allowed Disruptions|Age"), Budget}},
      {"autoscaling/horizontalpodautoscalers",
       {Columns("Name|Reference|Targets|MinPods|MaxPods|Replicas|Age"), Autoscaler}},
      {"coordination.k8s.io/leases", {Columns("Name|Holder|Age"), Lease}},
      {"scheduling.k8s.io/priorityclasses",
       {Columns("Name|Value|Global-Default|Age|PreemptionPolicy"), PriorityClass}},
      {"node.k8s.io/runtimeclasses", {Columns("Name|Handler|Age"), RuntimeClass}},
      {"rbac.authorization.k8s.io/roles", NameAndCreation()},
      {"rbac.authorization.k8s.io/clusterroles", NameAndCreation()},
      {"rbac.authorization.k8s.io/rolebindings",
       {Columns("Name|Role|Age|!Users|!Groups|!ServiceAccounts"), Binding}},
      {"rbac.authorization.k8s.io/clusterrolebindings",
       {Columns("Name|Role|Age|!Users|!Groups|!ServiceAccounts"), Binding}},
      {"resource.k8s.io/resourceclaims", {Columns("Name|State|Age"), Claims}},
      {"resource.k8s.io/resourceslices", {Columns("Name|Node|Driver|Pool|Age"), Slice}},
      {"admissionregistration.k8s.io/mutatingwebhookconfigurations",
       {Columns("Name|Webhooks|Age"), Webhooks}},
      {"admissionregistration.k8s.io/validatingwebhookconfigurations",
       {Columns("Name|Webhooks|Age"), Webhooks}},
      {"apiextensions.k8s.io/customresourcedefinitions", NameAndCreation()},
      {"admissionregistration.k8s.io/validatingadmissionpolicies",
       {Columns("Name|Validations|ParamKind|Age"), AdmissionPolicy}},
      {"admissionregistration.k8s.io/validatingadmissionpolicybindings",
       {Columns("Name|PolicyName|ParamRef|Age"), AdmissionPolicyBinding}},
  };
  // clang-format on
}

}  // namespace coppice::server
