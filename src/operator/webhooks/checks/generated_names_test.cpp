// Names that yield no valid object names are rejected with the set, which would otherwise wait
// forever.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "json/yaml/yaml.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string CliqueNamed(const std::string& name, const std::string& more = "",
                        const std::string& spec = "") {
  return fmt::format(
      "{{name: {0}, {1}spec: {{roleName: {0}, replicas: 2, {2}podSpec: {{containers: [{{name: c, "
      "image: i}}]}}}}}}",
      name, more, spec);
}

// The rejection of a new set; "" if it is accepted.
std::string RefusalOfNames(World& world, const std::string& name, const std::string& tmpl) {
  const auto created = world.TryCreate(*json::ParseYaml(
      fmt::format("{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{name: {}}}, "
                  "spec: {{replicas: 1, template: {{{}}}}}}}",
                  name, tmpl)));
  return created ? "" : created.error().message();
}

std::string One(const std::string& clique) { return "cliques: [" + clique + "]"; }

TEST(GeneratedNames, SetsWhoseServicesCannotExist) {
  World world(DefaultWorld());
  EXPECT_THAT(RefusalOfNames(world, "my.set", One(CliqueNamed("w"))),
              AllOf(HasSubstr("metadata.name"), HasSubstr("headless Service")));
  // Whether a Service name may start with a digit depends on the release, so the server is asked.
  EXPECT_THAT(RefusalOfNames(world, "9lives", One(CliqueNamed("w"))), HasSubstr("\"9lives-0\""));
  EXPECT_EQ(RefusalOfNames(world, "lives9", One(CliqueNamed("w"))), "");
}

TEST(GeneratedNames, DotsInWhatBecomesAHostname) {
  World world(DefaultWorld());
  EXPECT_THAT(RefusalOfNames(world, "app", One(CliqueNamed("a.b"))),
              AllOf(HasSubstr("spec.template.cliques[0].name"), HasSubstr("hostnames")));
  EXPECT_THAT(RefusalOfNames(world, "app",
                             One(CliqueNamed("w")) +
                                 ", podCliqueScalingGroups: [{name: g.h, cliqueNames: [w]}]"),
              HasSubstr("spec.template.podCliqueScalingGroups[0].name"));
}

TEST(GeneratedNames, ACliqueAndAGroupThatWouldShareAnAutoscaler) {
  World world(DefaultWorld());
  const std::string scaled = CliqueNamed("g", "", "autoScalingConfig: {maxReplicas: 4}, ");
  const auto with = [&](const std::string& clique) {
    return fmt::format(
        "cliques: [{}, {}], podCliqueScalingGroups: [{{name: g, cliqueNames: [w], scaleConfig: "
        "{{maxReplicas: 3}}}}]",
        clique, CliqueNamed("w"));
  };
  EXPECT_THAT(RefusalOfNames(world, "app", with(scaled)),
              HasSubstr("autoscalers would have one name"));
  EXPECT_EQ(RefusalOfNames(world, "app", with(CliqueNamed("g"))), "");
}

TEST(GeneratedNames, ClaimsThatNoPodCouldReferTo) {
  World world(DefaultWorld());
  const auto sharing = [](const std::string& name) {
    return fmt::format("resourceSharing: [{{name: {}, scope: PerReplica}}], ", name);
  };
  EXPECT_EQ(RefusalOfNames(world, "app", One(CliqueNamed("w", sharing("gpus")))), "");
  EXPECT_THAT(
      RefusalOfNames(world, "app1", One(CliqueNamed("w", sharing(std::string(60, 'x'))))),
      AllOf(HasSubstr("cliques[0].resourceSharing[0].name"), HasSubstr("must be no more than 63")));
  EXPECT_THAT(RefusalOfNames(world, "app2", sharing("gpu.class") + One(CliqueNamed("w"))),
              HasSubstr("spec.template.resourceSharing[0].name"));
}

// Grove accepts them all.
TEST(GeneratedNames, AreNotLookedAtUnderGroveCompatibility) {
  World world(GroveWorld());
  EXPECT_EQ(RefusalOfNames(world, "my.set", One(CliqueNamed("a.b"))), "");
}

}  // namespace
}  // namespace coppice::operators
