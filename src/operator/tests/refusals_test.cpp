// Sets that their scheduler could never run are rejected at submission, with the field and a fix.
// What may resolve by itself becomes a condition and an event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "backends/framework/config.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "operator/tests/rig/world_testing.h"
#include "tests/crds/crds.h"

namespace coppice::operators {
namespace {

using testing::HasSubstr;

struct BadSet {
  std::string name;
  std::string metadata;             // Besides the name.
  std::string tmpl;                 // Besides the cliques.
  std::string first, second;        // schedulerName of the two cliques.
  std::vector<std::string> expect;  // What the rejection must contain.
  std::string set_name = "app";
};

const std::vector<BadSet>& BadSets() {
  static const std::string rack = "topologyConstraint: {topologyName: dc, pack: {required: rack}}";
  static const std::vector<BadSet> sets = {
      {"unknownScheduler", "", "", "nobody", "nobody", {"schedulerName", "nobody"}},
      {"mixedSchedulers", "", "", "kai-scheduler", "volcano", {"schedulerName"}},
      {"unknownOverride",
       "annotations: {grove.io/scheduler-backend: nobody}",
       "",
       "kai-scheduler",
       "kai-scheduler",
       {"grove.io/scheduler-backend", "nobody"}},
      {"rackOnSchedulerPlugins",
       "",
       rack,
       "scheduler-plugins-scheduler",
       "scheduler-plugins-scheduler",
       {"CapabilityMissing", "packConstraint.required", "topology.kubernetes.io/rack"}},
      {"rackOnKubernetes135",
       "",
       rack,
       "default-scheduler",
       "default-scheduler",
       {"CapabilityMissing", "packConstraint.required"}},
      {"rackOnYuniKorn", "", rack, "yunikorn", "yunikorn", {"CapabilityMissing"}},
      {"priorityMismatch",
       "",
       "priorityClassName: low",
       "kai-scheduler",
       "kai-scheduler",
       {"PriorityMismatch", "priorityClassName", "use one"}},
      {"nameTooLong",
       "",
       "",
       "kai-scheduler",
       "kai-scheduler",
       {"metadata.name"},
       std::string(60, 'a')},
  };
  return sets;
}

class RefusedSet : public testing::TestWithParam<BadSet> {};

std::string CliqueOn(const std::string& name, const std::string& scheduler,
                     const std::string& priority) {
  return "{name: " + name + ", spec: {roleName: " + name + ", replicas: 1, podSpec: {" +
         (priority.empty() ? "" : "priorityClassName: " + priority + ", ") +
         "schedulerName: " + scheduler + ", containers: [{name: c, image: i}]}}}";
}

TEST_P(RefusedSet, AtSubmitTime) {
  const BadSet& bad = GetParam();
  World::Options options;
  options.crds = test_crds::Of("kai");
  for (json::Value& crd : test_crds::Of("scheduler-plugins"))
    options.crds.push_back(std::move(crd));
  options.config.backends = backends::AllBackends();
  options.config.topology_aware_scheduling = true;
  World world(std::move(options));
  world.Create(
      "{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: {name: dc}, spec: "
      "{levels: [{domain: rack, key: topology.kubernetes.io/rack}]}}");
  world.Create(
      "{apiVersion: v1, kind: Node, metadata: {name: node-a, labels: "
      "{topology.kubernetes.io/rack: r}}}");
  world.RunFor(std::chrono::seconds(1));
  const std::string priority = bad.name == "priorityMismatch" ? "high" : "";
  const auto created = world.TryCreate(*json::ParseYaml(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: " + bad.set_name +
      (bad.metadata.empty() ? "" : ", ") + bad.metadata + "}, spec: {replicas: 1, template: {" +
      bad.tmpl + (bad.tmpl.empty() ? "" : ", ") + "cliques: [" +
      CliqueOn("a", bad.first, priority) + ", " + CliqueOn("b", bad.second, "") + "]}}}"));
  ASSERT_FALSE(created.ok());
  for (const std::string& text : bad.expect) {
    EXPECT_THAT(created.error().message(), HasSubstr(text));
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, RefusedSet, testing::ValuesIn(BadSets()),
                         [](const testing::TestParamInfo<BadSet>& each) {
                           return each.param.name;
                         });

}  // namespace
}  // namespace coppice::operators
