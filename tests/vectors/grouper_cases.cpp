#include "tests/vectors/grouper_cases.h"

#include <fmt/format.h>

#include "json/write.h"
#include "services/grouper/groups/grouper.h"

namespace coppice::vectors {
namespace {

namespace grouper = services::grouper;

class EmptyCluster final : public grouper::Lookup {
 public:
  base::Result<json::Value> Get(std::string_view, std::string_view kind, std::string_view,
                                std::string_view name) override {
    return base::NotFound(fmt::format("{} \"{}\" not found", kind, name));
  }
  base::Result<std::vector<json::Value>> List(std::string_view, std::string_view, std::string_view,
                                              std::string_view) override {
    return std::vector<json::Value>();
  }
};

void SetUnlessEmpty(json::Value& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object.Set(key, text);
}

void SetTopology(json::Value& object, const grouper::TopologyConstraint& constraint) {
  SetUnlessEmpty(object, "topology", constraint.topology);
  SetUnlessEmpty(object, "requiredTopologyLevel", constraint.required_level);
  SetUnlessEmpty(object, "preferredTopologyLevel", constraint.preferred_level);
}

json::Value SubGroupJson(const grouper::SubGroup& group) {
  json::Value out =
      json::Value::Object({{"name", group.name}, {"minAvailable", group.min_available}});
  SetUnlessEmpty(out, "parent", group.parent);
  if (group.min_sub_group) out.Set("minSubGroup", *group.min_sub_group);
  for (const std::string& pod : group.pods) out.Mutable("podsReferences").Append(pod);
  if (group.topology) SetTopology(out.Mutable("topologyConstraints"), *group.topology);
  return out;
}

json::Value MapJson(const grouper::StringMap& map) {
  json::Value out = json::Value::Object();
  for (const auto& [key, value] : map) out.Set(key, value);
  return out;
}

json::Value MetadataJson(const grouper::Metadata& metadata) {
  json::Value out = json::Value::Object({{"name", metadata.name},
                                         {"queue", metadata.queue},
                                         {"priorityClassName", metadata.priority_class},
                                         {"minAvailable", metadata.min_available},
                                         {"labels", MapJson(metadata.labels)},
                                         {"annotations", MapJson(metadata.annotations)}});
  out.Set("owner", json::Value::Object({{"apiVersion", metadata.owner.api_version},
                                        {"kind", metadata.owner.kind},
                                        {"name", metadata.owner.name},
                                        {"uid", metadata.owner.uid}}));
  SetUnlessEmpty(out, "namespace", metadata.ns);
  SetUnlessEmpty(out, "preemptibility", metadata.preemptibility);
  SetUnlessEmpty(out, "preemptionDelay", metadata.preemption_delay.value_or(""));
  SetUnlessEmpty(out, "stalenessGracePeriod", metadata.staleness_grace_period.value_or(""));
  SetTopology(out, metadata.topology);
  if (metadata.min_sub_group) out.Set("minSubGroup", *metadata.min_sub_group);
  for (const grouper::SubGroup& group : metadata.sub_groups) {
    out.Mutable("subGroups").Append(SubGroupJson(group));
  }
  return out;
}

std::string Compare(const json::Value& expected, const json::Value& actual) {
  if (expected == actual) return "";
  for (const json::Member& member : expected.Members()) {
    if (member.value == actual[member.name()]) continue;
    return fmt::format("{}: expected {}, got {}", member.name(), json::Write(member.value),
                       json::Write(actual[member.name()]));
  }
  for (const json::Member& member : actual.Members()) {
    if (!expected.Has(member.name())) {
      return fmt::format("{}: unexpected {}", member.name(), json::Write(member.value));
    }
  }
  return "";
}

grouper::Workload ReadWorkload(const json::Value& test_case) {
  grouper::Workload workload{test_case["pod"], test_case["owner"], {}};
  for (const json::Value& owner : test_case["owners"].Items()) workload.owners.push_back(owner);
  return workload;
}

}  // namespace

std::string RunGrouperCase(const json::Value& test_case) {
  const std::string_view name = test_case["grouper"].AsString();
  const grouper::Grouper handler = grouper::FindGrouperByName(name);
  if (!handler) return fmt::format("there is no grouper called {}", name);
  EmptyCluster cluster;
  const grouper::Options options;
  const grouper::TypeDefaults defaults;
  const auto metadata = handler({options, defaults, cluster}, ReadWorkload(test_case));
  const bool expect_error = test_case["error"].AsBool();
  if (!metadata) return expect_error ? "" : "unexpected error: " + metadata.error().ToString();
  if (expect_error) return "expected an error";
  return Compare(test_case["result"], MetadataJson(*metadata));
}

}  // namespace coppice::vectors
