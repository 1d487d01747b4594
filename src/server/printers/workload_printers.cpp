#include <fmt/format.h>

#include <cctype>

#include "kube/object.h"
#include "server/printers/cells.h"
#include "server/printers/table.h"

namespace coppice::server {
namespace {

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

Cells ReplicationController(Object o, base::Time now) {
  Cells cells = ReplicaSet(o, now);
  cells.back() = LabelsText(o["spec"]["selector"]);
  return cells;
}

Cells PodTemplate(Object o, base::Time) {
  Object spec = o["template"]["spec"];
  return {NameOf(o), Containers(spec, "name"), Containers(spec, "image"),
          LabelsText(o["template"]["metadata"]["labels"])};
}

// "daemonset.apps/name"
std::string OwnerText(Object owner) {
  if (!owner.IsObject()) return "<none>";
  std::string kind = owner["kind"].ToString();
  for (char& c : kind) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::string_view version = owner["apiVersion"].AsString();
  const size_t slash = version.find('/');
  if (slash != version.npos) kind += fmt::format(".{}", version.substr(0, slash));
  return fmt::format("{}/{}", kind, owner["name"].AsString());
}

Cells Revision(Object o, base::Time now) {
  return {NameOf(o), OwnerText(kube::ControllerOwner(o)), o["revision"].AsInt(), Age(o, now)};
}

}  // namespace

Printers WorkloadPrinters() {
  // clang-format off
  return {
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
      {"apps/controllerrevisions", {Columns("Name|Controller|Revision|Age"), Revision}},
      {"/replicationcontrollers",
       {Columns("Name|Desired|Current|Ready|Age|!Containers|!Images|!Selector"),
        ReplicationController}},
      {"/podtemplates", {Columns("Name|Containers|Images|Pod Labels"), PodTemplate}},
  };
  // clang-format on
}

}  // namespace coppice::server
