#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/quantity.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/pod/pod_parts.h"

// The fields of its pod that a container can read, in variables and in files.
namespace coppice::server {
namespace {

using api::Child;

struct Subscript {
  std::string field;  // "metadata.labels"
  std::string key;    // "app" of metadata.labels['app']
};

std::optional<Subscript> SplitSubscript(std::string_view path) {
  const size_t open = path.find("['");
  if (open == path.npos || path.size() < open + 4 || path.substr(path.size() - 2) != "']") {
    return std::nullopt;
  }
  return Subscript{std::string(path.substr(0, open)),
                   std::string(path.substr(open + 2, path.size() - open - 4))};
}

bool IsOneOf(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::ranges::find(known, text) != known.end();
}

// Fields that a pod can be selected by, or that it may learn.
bool IsKnown(std::string_view field) {
  return IsOneOf(field,
                 {"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
                  "metadata.uid", "spec.nodeName", "spec.restartPolicy", "spec.serviceAccountName",
                  "spec.schedulerName", "spec.hostNetwork", "status.phase", "status.hostIP",
                  "status.hostIPs", "status.podIP", "status.podIPs", "status.nominatedNodeName"});
}

void CheckSupported(const json::Value& field, bool volume, const std::string& path,
                    Causes& causes) {
  if (volume) {
    CheckOneOf(field,
               {"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace",
                "metadata.uid"},
               path, causes);
  } else {
    CheckOneOf(field,
               {"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName",
                "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP",
                "status.podIPs"},
               path, causes);
  }
}

void CheckDivisor(const json::Value& ref, const std::string& path, Causes& causes) {
  if (!ref.Has("divisor")) return;
  const auto divisor = base::Quantity::Parse(ref["divisor"].AsString());
  if (!divisor || divisor->Sign() == 0) return;
  const std::string_view resource = ref["resource"].AsString();
  if (!resource.ends_with(".cpu") || IsOneOf(ref["divisor"].AsString(), {"1", "1m"})) return;
  causes.push_back(
      api::InvalidField(Child(path, "divisor"), resource,
                        "only divisor's values 1m and 1 are supported with the cpu resource"));
}

}  // namespace

void ValidateFieldRef(const json::Value& ref, bool volume, const std::string& path,
                      Causes& causes) {
  const json::Value& field = ref["fieldPath"];
  const std::string place = Child(path, "fieldPath");
  const auto refuse = [&](std::string_view why) {
    causes.push_back(
        api::InvalidField(place, field, fmt::format("error converting fieldPath: {}", why)));
  };
  if (field.AsString().empty()) {
    causes.push_back(api::RequiredField(place));
    return;
  }
  if (ref["apiVersion"].AsString() != "v1") {
    return refuse(fmt::format("unsupported pod version: {}", ref["apiVersion"].AsString()));
  }
  const auto subscript = SplitSubscript(field.AsString());
  if (!subscript) {
    if (IsKnown(field.AsString())) return CheckSupported(field, volume, place, causes);
    return refuse(fmt::format("field label not supported: {}", field.AsString()));
  }
  if (!IsOneOf(subscript->field, {"metadata.annotations", "metadata.labels"})) {
    return refuse(fmt::format("field label does not support subscript: {}", field.AsString()));
  }
  CheckProblems(subscript->key, api::LabelKeyProblems(subscript->key), path, causes);
}

void ValidateResourceFieldRef(const json::Value& ref, const std::string& path, Causes& causes) {
  const std::string_view resource = ref["resource"].AsString();
  if (resource.empty()) {
    causes.push_back(api::RequiredField(Child(path, "resource")));
    return;
  }
  if (resource.starts_with("limits.hugepages-") || resource.starts_with("requests.hugepages-")) {
    return;
  }
  CheckOneOf(ref["resource"],
             {"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu",
              "requests.ephemeral-storage", "requests.memory"},
             Child(path, "resource"), causes);
  CheckDivisor(ref, path, causes);
}

}  // namespace coppice::server
