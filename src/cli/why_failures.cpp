#include "cli/why_failures.h"

#include <fmt/format.h>

#include <set>

#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";

void Append(const Value& object, std::vector<Value>& failures) {
  for (const Value& error : object["status"]["lastErrors"].Items()) {
    failures.push_back(
        Value::Object({{"group", fmt::format("{}/{}", kube::Namespace(object), kube::Name(object))},
                       {"verdict", "NotNow"},
                       {"reason", error["code"].ToString()},
                       {"message", error["description"].ToString()}}));
  }
}

base::Status AppendSet(kube::Client& client, const api::ObjectKey& key,
                       std::vector<Value>& failures) {
  const auto set = client.Get(api::kPodCliqueSets, key);
  if (set.Is(base::ErrorCode::kNotFound)) return {};
  if (!set) return set.error();
  Append(*set, failures);
  for (const api::Resource& resource : {api::kPodCliqueScalingGroups, api::kPodCliques}) {
    COPPICE_ASSIGN(
        const kube::ObjectList children,
        client.List(resource,
                    {.ns = key.ns, .label_selector = fmt::format("{}={}", kPartOf, key.name)}));
    for (const Value& child : children.items) Append(child, failures);
  }
  return {};
}

}  // namespace

base::Result<std::vector<Value>> FindFailures(kube::Client& client, const std::string& ns,
                                              const std::string& target,
                                              const std::vector<WhyTarget>& groups) {
  std::set<std::string> sets;
  if (target.starts_with("set/")) sets.insert(target.substr(4));
  if (target.find('/') == std::string::npos) sets.insert(target);
  for (const WhyTarget& each : groups) {
    const std::string_view set = kube::Label(each.gang, kPartOf);
    if (!set.empty()) sets.emplace(set);
  }
  std::vector<Value> failures;
  for (const std::string& set : sets) COPPICE_TRY(AppendSet(client, {ns, set}, failures));
  return failures;
}

}  // namespace coppice::cli
