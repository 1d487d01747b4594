#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kube/object.h"
#include "server/printers/cells.h"
#include "server/printers/pod_printer.h"

namespace coppice::server {
namespace {

std::string OrUnknown(Object text) {
  return text.AsString().empty() ? "<unknown>" : text.ToString();
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

Cells NameAndAge(Object o, base::Time now) { return {NameOf(o), Age(o, now)}; }

// "pods: 1/4, requests.cpu: 1/2", of those that are limits, or of the others.
std::string QuotaText(Object status, bool limits) {
  std::string text;
  for (const json::Member& hard : status["hard"].Members()) {
    if (hard.name().starts_with("limits.") != limits) continue;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}: {}/{}", hard.name(), status["used"][hard.name()].ToString("0"),
                        hard.value.AsString());
  }
  return text;
}

Cells Quota(Object o, base::Time now) {
  return {NameOf(o), QuotaText(o["status"], false), QuotaText(o["status"], true), Age(o, now)};
}

}  // namespace

Printers CorePrinters() {
  // clang-format off
  return {
      {"/pods", {Columns("Name|Ready|Status|Restarts|Age|!IP|!Node|!Nominated Node|!Readiness Gates"),
                 PodCells}},
      {"/nodes", {Columns("Name|Status|Roles|Age|Version|!Internal-IP|!External-IP|!OS-Image|"
                          "!Kernel-Version|!Container-Runtime"), Node}},
      {"/namespaces", {Columns("Name|Status|Age"), Namespace}},
      {"/configmaps", {Columns("Name|Data|Age"), ConfigMap}},
      {"/secrets", {Columns("Name|Type|Data|Age"), Secret}},
      {"/events", {Columns("Last Seen|Type|Reason|Object|!Subobject|!Source|Message|!First Seen|"
                           "!Count|!Name"), Event}},
      {"/serviceaccounts", {Columns("Name|Age"), NameAndAge}},
      {"/resourcequotas", {Columns("Name|Request|Limit|Age"), Quota}},
      {"/limitranges", NameAndCreation()},
  };
  // clang-format on
}

}  // namespace coppice::server
