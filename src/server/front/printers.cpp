#include "server/front/printers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "api/selectors/label_selector.h"
#include "kube/object.h"
#include "server/front/pod_printer.h"
#include "server/front/table.h"

namespace coppice::server {
namespace {

using Cells = std::vector<json::Value>;
using Object = const json::Value&;

// Columns from "Name|Status|!Wide": an exclamation mark puts a column into the wide output.
std::vector<PrinterColumn> Columns(std::string_view names) {
  std::vector<PrinterColumn> columns;
  while (!names.empty()) {
    const size_t end = std::min(names.find('|'), names.size());
    std::string name(names.substr(0, end));
    names.remove_prefix(std::min(end + 1, names.size()));
    const bool wide = name[0] == '!';
    if (wide) name.erase(0, 1);
    const std::string format = name == "Name" ? "name" : "";
    columns.push_back({name, "string", format, "", "", wide ? 1 : 0});
  }
  return columns;
}

std::string Age(Object o, base::Time now) { return AgeOf(o["metadata"]["creationTimestamp"], now); }

std::string Join(Object list, std::string_view separator = ",") {
  std::string text;
  for (const json::Value& item : list.Items()) {
    if (!text.empty()) text += separator;
    text += item.IsString() ? item.ToString() : std::to_string(item.AsInt());
  }
  return text;
}

std::string OrNone(std::string text) { return text.empty() ? "<none>" : text; }
std::string OrUnknown(Object text) {
  return text.AsString().empty() ? "<unknown>" : text.ToString();
}

std::string SelectorText(Object selector) {
  if (selector.IsNull()) return "<none>";
  const auto parsed = api::LabelSelector::FromObject(selector);
  return parsed ? OrNone(parsed->ToString()) : "<error>";
}

std::string LabelsText(Object labels) {
  std::string text;
  for (const json::Member& label : labels.Members()) {
    if (!text.empty()) text += ",";
    text += fmt::format("{}={}", label.name(), label.value.AsString());
  }
  return OrNone(text);
}

std::string Containers(Object template_spec, std::string_view field) {
  std::string text;
  for (const json::Value& container : template_spec["containers"].Items()) {
    if (!text.empty()) text += ",";
    text += container[field].AsString();
  }
  return text;
}

Cells Node(Object o, base::Time now) {
  std::string status;
  for (const json::Value& condition : o["status"]["conditions"].Items()) {
    if (condition["type"].AsString() != "Ready") continue;
    status = condition["status"].AsString() == "True" ? "Ready" : "NotReady";
  }
  if (status.empty()) status = "Unknown";
  if (o["spec"]["unschedulable"].AsBool()) status += ",SchedulingDisabled";
  std::string roles;
  for (const json::Member& label : o["metadata"]["labels"].Members()) {
    constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
    if (label.name().substr(0, kPrefix.size()) != kPrefix) continue;
    if (!roles.empty()) roles += ",";
    roles += label.name().substr(kPrefix.size());
  }
  std::string internal = "<none>", external = "<none>";
  for (const json::Value& address : o["status"]["addresses"].Items()) {
    if (address["type"].AsString() == "InternalIP") internal = address["address"].ToString();
    if (address["type"].AsString() == "ExternalIP") external = address["address"].ToString();
  }
  Object info = o["status"]["nodeInfo"];
  return {o["metadata"]["name"],
          status,
          OrNone(roles),
          Age(o, now),
          info["kubeletVersion"].ToString(),
          internal,
          external,
          OrUnknown(info["osImage"]),
          OrUnknown(info["kernelVersion"]),
          OrUnknown(info["containerRuntimeVersion"])};
}

Cells Service(Object o, base::Time now) {
  Object spec = o["spec"];
  std::string ports;
  for (const json::Value& port : spec["ports"].Items()) {
    if (!ports.empty()) ports += ",";
    ports += std::to_string(port["port"].AsInt());
    if (port["nodePort"].AsInt() > 0) ports += ":" + std::to_string(port["nodePort"].AsInt());
    ports += "/" + port["protocol"].ToString("TCP");
  }
  std::string external = Join(spec["externalIPs"]);
  if (spec["type"].AsString() == "LoadBalancer" && external.empty()) external = "<pending>";
  if (spec["type"].AsString() == "ExternalName") external = spec["externalName"].ToString();
  return {
      o["metadata"]["name"], spec["type"], OrNone(spec["clusterIP"].ToString()), OrNone(external),
      OrNone(ports),         Age(o, now),  LabelsText(spec["selector"])};
}

Cells Deployment(Object o, base::Time now) {
  Object spec = o["spec"]["template"]["spec"];
  return {o["metadata"]["name"],
          fmt::format("{}/{}", o["status"]["readyReplicas"].AsInt(), o["spec"]["replicas"].AsInt()),
          o["status"]["updatedReplicas"].AsInt(),
          o["status"]["availableReplicas"].AsInt(),
          Age(o, now),
          Containers(spec, "name"),
          Containers(spec, "image"),
          SelectorText(o["spec"]["selector"])};
}

Cells ReplicaSet(Object o, base::Time now) {
  Object spec = o["spec"]["template"]["spec"];
  return {o["metadata"]["name"],
          o["spec"]["replicas"].AsInt(),
          o["status"]["replicas"].AsInt(),
          o["status"]["readyReplicas"].AsInt(),
          Age(o, now),
          Containers(spec, "name"),
          Containers(spec, "image"),
          SelectorText(o["spec"]["selector"])};
}

Cells StatefulSet(Object o, base::Time now) {
  Object spec = o["spec"]["template"]["spec"];
  return {o["metadata"]["name"],
          fmt::format("{}/{}", o["status"]["readyReplicas"].AsInt(), o["spec"]["replicas"].AsInt()),
          Age(o, now), Containers(spec, "name"), Containers(spec, "image")};
}

Cells DaemonSet(Object o, base::Time now) {
  Object spec = o["spec"]["template"]["spec"];
  Object status = o["status"];
  return {o["metadata"]["name"],
          status["desiredNumberScheduled"].AsInt(),
          status["currentNumberScheduled"].AsInt(),
          status["numberReady"].AsInt(),
          status["updatedNumberScheduled"].AsInt(),
          status["numberAvailable"].AsInt(),
          LabelsText(spec["nodeSelector"]),
          Age(o, now),
          Containers(spec, "name"),
          Containers(spec, "image"),
          SelectorText(o["spec"]["selector"])};
}

std::string JobStatus(Object o) {
  if (kube::ConditionIs(o, "Complete", "True")) return "Complete";
  if (kube::ConditionIs(o, "Failed", "True")) return "Failed";
  if (kube::IsDeleting(o)) return "Terminating";
  if (kube::ConditionIs(o, "Suspended", "True")) return "Suspended";
  if (kube::ConditionIs(o, "FailureTarget", "True")) return "FailureTarget";
  if (kube::ConditionIs(o, "SuccessCriteriaMet", "True")) return "SuccessCriteriaMet";
  return "Running";
}

Cells Job(Object o, base::Time now) {
  Object spec = o["spec"]["template"]["spec"];
  const int64_t done = o["status"]["succeeded"].AsInt();
  std::string completions = fmt::format("{}/1", done);
  if (o["spec"].Has("completions")) {
    completions = fmt::format("{}/{}", done, o["spec"]["completions"].AsInt());
  } else if (o["spec"]["parallelism"].AsInt() > 1) {
    completions = fmt::format("{}/1 of {}", done, o["spec"]["parallelism"].AsInt());
  }
  std::string duration;
  const auto start = base::ParseRfc3339(o["status"]["startTime"].AsString());
  const auto end = base::ParseRfc3339(o["status"]["completionTime"].AsString());
  if (start) duration = HumanDuration((end ? *end : now) - *start);
  return {o["metadata"]["name"],
          JobStatus(o),
          completions,
          duration,
          Age(o, now),
          Containers(spec, "name"),
          Containers(spec, "image"),
          SelectorText(o["spec"]["selector"])};
}

Cells CronJob(Object o, base::Time now) {
  Object spec = o["spec"]["jobTemplate"]["spec"]["template"]["spec"];
  Object last = o["status"]["lastScheduleTime"];
  return {o["metadata"]["name"],
          o["spec"]["schedule"],
          o["spec"]["timeZone"].ToString("<none>"),
          o["spec"]["suspend"].AsBool() ? "True" : "False",
          static_cast<int64_t>(o["status"]["active"].size()),
          last.IsNull() ? "<none>" : AgeOf(last, now),
          Age(o, now),
          Containers(spec, "name"),
          Containers(spec, "image"),
          "<none>"};
}

Cells Event(Object o, base::Time now) {
  Object object = o["involvedObject"];
  const auto since = [&](std::string_view field) {
    return o[field].AsString().empty() ? "<unknown>" : AgeOf(o[field], now);
  };
  std::string last = since("lastTimestamp"), first = since("firstTimestamp");
  if (last == "<unknown>" && !o["eventTime"].AsString().empty()) {
    last = first = AgeOf(o["eventTime"], now);
  }
  std::string kind = object["kind"].ToString();
  for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::string source = o["source"]["component"].ToString(o["reportingComponent"].AsString());
  if (!o["source"]["host"].AsString().empty()) source += ", " + o["source"]["host"].ToString();
  return {last,
          o["type"],
          o["reason"],
          kind + "/" + object["name"].ToString(),
          object["fieldPath"].ToString(),
          source,
          o["message"],
          first,
          std::max<int64_t>(o["count"].AsInt(), 1),
          o["metadata"]["name"]};
}

Cells Namespace(Object o, base::Time now) {
  return {o["metadata"]["name"], o["status"]["phase"], Age(o, now)};
}

Cells ConfigMap(Object o, base::Time now) {
  return {o["metadata"]["name"], static_cast<int64_t>(o["data"].size() + o["binaryData"].size()),
          Age(o, now)};
}

Cells Secret(Object o, base::Time now) {
  return {o["metadata"]["name"], o["type"], static_cast<int64_t>(o["data"].size()), Age(o, now)};
}

Cells ServiceAccount(Object o, base::Time now) {
  return {o["metadata"]["name"], static_cast<int64_t>(o["secrets"].size()), Age(o, now)};
}

Cells NameAndCreation(Object o, base::Time) {
  return {o["metadata"]["name"], o["metadata"]["creationTimestamp"]};
}

std::string AccessModes(Object modes) {
  std::string text;
  for (const json::Value& mode : modes.Items()) {
    if (!text.empty()) text += ",";
    for (const char c : mode.AsString()) {
      if (std::isupper(static_cast<unsigned char>(c))) text += c;
    }
  }
  return text;
}

Cells Claim(Object o, base::Time now) {
  std::string phase = o["status"]["phase"].ToString();
  if (kube::IsDeleting(o)) phase = "Terminating";
  return {o["metadata"]["name"],
          phase,
          o["spec"]["volumeName"].ToString(),
          o["status"]["capacity"]["storage"].ToString(),
          AccessModes(o["status"]["accessModes"]),
          o["spec"]["storageClassName"].ToString(),
          o["spec"]["volumeAttributesClassName"].ToString("<unset>"),
          Age(o, now),
          o["spec"]["volumeMode"].ToString("<unset>")};
}

Cells Volume(Object o, base::Time now) {
  Object ref = o["spec"]["claimRef"];
  std::string claim;
  if (ref.IsObject()) claim = ref["namespace"].ToString() + "/" + ref["name"].ToString();
  return {o["metadata"]["name"],
          o["spec"]["capacity"]["storage"].ToString(),
          AccessModes(o["spec"]["accessModes"]),
          o["spec"]["persistentVolumeReclaimPolicy"].ToString(),
          kube::IsDeleting(o) ? "Terminating" : o["status"]["phase"].ToString(),
          claim,
          o["spec"]["storageClassName"].ToString(),
          o["spec"]["volumeAttributesClassName"].ToString("<unset>"),
          o["status"]["reason"].ToString(),
          Age(o, now),
          o["spec"]["volumeMode"].ToString("<unset>")};
}

Cells StorageClass(Object o, base::Time now) {
  std::string name = o["metadata"]["name"].ToString();
  if (kube::Annotation(o, "storageclass.kubernetes.io/is-default-class") == "true") {
    name += " (default)";
  }
  return {name,
          o["provisioner"],
          o["reclaimPolicy"].ToString("Delete"),
          o["volumeBindingMode"].ToString("Immediate"),
          o["allowVolumeExpansion"].AsBool(),
          Age(o, now)};
}

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

Cells Endpoint(Object o, base::Time now) { return {o["metadata"]["name"], "<none>", Age(o, now)}; }

Cells Webhooks(Object o, base::Time now) {
  return {o["metadata"]["name"], static_cast<int64_t>(o["webhooks"].size()), Age(o, now)};
}

const std::map<std::string, Printer, std::less<>>& Printers() {
  // clang-format off
  static const std::map<std::string, Printer, std::less<>> printers = {
      {"/pods", {Columns("Name|Ready|Status|Restarts|Age|!IP|!Node|!Nominated Node|!Readiness Gates"),
                 PodCells}},
      {"/nodes", {Columns("Name|Status|Roles|Age|Version|!Internal-IP|!External-IP|!OS-Image|"
                          "!Kernel-Version|!Container-Runtime"), Node}},
      {"/services", {Columns("Name|Type|Cluster-IP|External-IP|Port(s)|Age|!Selector"), Service}},
      {"/endpoints", {Columns("Name|Endpoints|Age"), Endpoint}},
      {"/namespaces", {Columns("Name|Status|Age"), Namespace}},
      {"/configmaps", {Columns("Name|Data|Age"), ConfigMap}},
      {"/secrets", {Columns("Name|Type|Data|Age"), Secret}},
      {"/serviceaccounts", {Columns("Name|Secrets|Age"), ServiceAccount}},
      {"/events", {Columns("Last Seen|Type|Reason|Object|!Subobject|!Source|Message|!First Seen|"
                           "!Count|!Name"), Event}},
      {"/persistentvolumes",
       {Columns("Name|Capacity|Access Modes|Reclaim Policy|Status|Claim|StorageClass|"
                "VolumeAttributesClass|Reason|Age|!VolumeMode"), Volume}},
      {"/persistentvolumeclaims",
       {Columns("Name|Status|Volume|Capacity|Access Modes|StorageClass|VolumeAttributesClass|Age|"
                "!VolumeMode"), Claim}},
      {"apps/deployments",
       {Columns("Name|Ready|Up-to-date|Available|Age|!Containers|!Images|!Selector"), Deployment}},
      {"apps/replicasets",
       {Columns("Name|Desired|Current|Ready|Age|!Containers|!Images|!Selector"), ReplicaSet}},
      {"apps/statefulsets", {Columns("Name|Ready|Age|!Containers|!Images"), StatefulSet}},
      {"apps/daemonsets",
       {Columns("Name|Desired|Current|Ready|Up-to-date|Available|Node Selector|Age|!Containers|"
                "!Images|!Selector"), DaemonSet}},
      {"batch/jobs",
       {Columns("Name|Status|Completions|Duration|Age|!Containers|!Images|!Selector"), Job}},
      {"batch/cronjobs",
       {Columns("Name|Schedule|Timezone|Suspend|Active|Last Schedule|Age|!Containers|!Images|"
                "!Selector"), CronJob}},
      {"policy/poddisruptionbudgets",
       {Columns("Name|Min Available|Max Unavailable|Allowed Disruptions|Age"), Budget}},
      {"autoscaling/horizontalpodautoscalers",
       {Columns("Name|Reference|Targets|MinPods|MaxPods|Replicas|Age"), Autoscaler}},
      {"coordination.k8s.io/leases", {Columns("Name|Holder|Age"), Lease}},
      {"scheduling.k8s.io/priorityclasses",
       {Columns("Name|Value|Global-Default|Age|PreemptionPolicy"), PriorityClass}},
      {"node.k8s.io/runtimeclasses", {Columns("Name|Handler|Age"), RuntimeClass}},
      {"storage.k8s.io/storageclasses",
       {Columns("Name|Provisioner|ReclaimPolicy|VolumeBindingMode|AllowVolumeExpansion|Age"),
        StorageClass}},
      {"rbac.authorization.k8s.io/roles", {Columns("Name|Created At"), NameAndCreation}},
      {"rbac.authorization.k8s.io/clusterroles", {Columns("Name|Created At"), NameAndCreation}},
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
      {"apiextensions.k8s.io/customresourcedefinitions", {Columns("Name|Created At"), NameAndCreation}},
  };
  // clang-format on
  return printers;
}

}  // namespace

const Printer* FindPrinter(const std::string& storage) {
  const auto found = Printers().find(storage);
  return found == Printers().end() ? nullptr : &found->second;
}

}  // namespace coppice::server
