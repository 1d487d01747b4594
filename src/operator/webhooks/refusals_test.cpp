// Every admission rule with its field and message: one invalid set each, as YAML.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

using ::testing::HasSubstr;

constexpr char kThreeLevels[] =
    "{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: {name: topo}, spec: "
    "{levels: [{domain: zone, key: z}, {domain: block, key: b}, {domain: rack, key: r}]}}";

// The parts of a set, as flow YAML.
struct Parts {
  std::string tmpl;     // Additional fields of the template.
  std::string cliques;  // The cliques; empty: a valid one named w.
  std::string spec;     // Additional fields of the clique's spec.
  std::string clique;   // Additional fields of the clique.
  std::string metadata = "name: app";
  std::string set = "replicas: 1";  // The set's fields besides its template.
};

std::string Clique(const std::string& name, const std::string& spec = "",
                   const std::string& more = "") {
  return fmt::format(
      "{{name: {0}{2}, spec: {{roleName: {0}, replicas: 2, podSpec: {{containers: "
      "[{{name: c, image: i}}]}}{1}}}}}",
      name, spec.empty() ? "" : ", " + spec, more.empty() ? "" : ", " + more);
}

std::string SetFrom(const Parts& parts) {
  return fmt::format(
      "{{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {{{}}}, spec: "
      "{{{}, template: {{{}cliques: [{}]}}}}}}",
      parts.metadata, parts.set, parts.tmpl.empty() ? "" : parts.tmpl + ", ",
      parts.cliques.empty() ? Clique("w", parts.spec, parts.clique) : parts.cliques);
}

World::Options Options(bool topology, bool mnnvl = false) {
  World::Options options = GroveWorld();
  options.config.topology_aware_scheduling = topology;
  options.config.auto_mnnvl = mnnvl;
  return options;
}

class Refusals : public ::testing::Test {
 protected:
  Refusals() { world_.Create(kThreeLevels); }

  // The webhook's message; "" if it accepts the set.
  static std::string Words(const base::Status& status) {
    if (status) return "";
    const std::string marker = "denied the request: ";
    const std::string& message = status.error().message();
    const size_t at = message.find(marker);
    return at == std::string::npos ? message : message.substr(at + marker.size());
  }
  std::string Create(const Parts& parts) {
    const auto created = world_.TryCreate(*json::ParseYaml(SetFrom(parts)));
    if (created) world_.Delete(api::kPodCliqueSets, (*created)["metadata"]["name"].ToString());
    return Words(created ? base::Status() : created.error());
  }
  // Creates the first, then updates it to the second.
  std::string Update(const Parts& before, const Parts& after) {
    world_.Create(SetFrom(before));
    json::Value set = world_.Get(api::kPodCliqueSets, "app");
    const json::Value wanted = *json::ParseYaml(SetFrom(after));
    set.Set("spec", wanted["spec"]);
    set.Mutable("metadata").Set("annotations", wanted["metadata"]["annotations"]);
    const auto updated = world_.client->Update(api::kPodCliqueSets, set);
    const std::string words = Words(updated ? base::Status() : updated.error());
    world_.Delete(api::kPodCliqueSets, "app");
    return words;
  }

  World world_{Options(true)};
};

TEST_F(Refusals, ASoundSetPasses) { EXPECT_EQ(Create({}), ""); }

TEST_F(Refusals, Cliques) {
  EXPECT_EQ(
      Create({.spec = "minAvailable: 3"}),
      "spec.template.cliques[0].spec.minAvailable: Invalid value: 3: minAvailable must not be "
      "greater than replicas");
  EXPECT_EQ(
      Create({.spec = "autoScalingConfig: {minReplicas: 2, maxReplicas: 1}"}),
      "[spec.template.cliques[0].spec.autoScalingConfig.maxReplicas: Invalid value: 1: must "
      "be greater than or equal to podCliqueSpec.minReplicas, "
      "spec.template.cliques[0].spec.autoScalingConfig.maxReplicas: Invalid value: 1: must be "
      "greater than or equal to replicas]");
  EXPECT_EQ(Create({.cliques = Clique("w") + ", " + Clique("x", "roleName: w")}),
            "spec.template.cliques.roleName: Duplicate value: [\"w\"]");
  EXPECT_EQ(Create({.clique = "labels: {a: -b}"}).substr(0, 53),
            "spec.template.cliques[0].labels: Invalid value: \"-b\":");
  EXPECT_EQ(Create({.clique = "annotations: {-a: b}"}).substr(0, 58),
            "spec.template.cliques[0].annotations: Invalid value: \"-a\":");
  EXPECT_EQ(Create({.clique = "annotations: {Example.com/A: b}"}), "");
  EXPECT_EQ(Create({.cliques = "{name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: "
                               "[{name: c, image: i}], topologySpreadConstraints: []}}}"}),
            "spec.template.cliques[0].spec.podSpec.spec.topologySpreadConstraints: Invalid value: "
            "[]: must not be set");
}

// Unknown, self, repeated and circular dependencies.
TEST_F(Refusals, StartupOrder) {
  const std::string explicitly = "cliqueStartupType: CliqueStartupTypeExplicit";
  const auto ordered = [&](const std::string& a, const std::string& b) {
    return Create(
        {.tmpl = explicitly,
         .cliques = Clique("a", "startsAfter: " + a) + ", " + Clique("b", "startsAfter: " + b)});
  };
  EXPECT_EQ(ordered("[]", "[a]"), "");
  EXPECT_EQ(
      ordered("[]", "[' ']"),
      "[spec.template.cliques[1].spec.startsAfter: Required value: clique dependency must not "
      "be empty, spec.template.cliques.startsAfter: Invalid value: \" \": unknown clique names "
      "found, all clique dependencies must be defined as cliques]");
  EXPECT_EQ(ordered("[b]", "[a]").substr(0, 38), "spec.template.cliques: Invalid value: ");
  EXPECT_NE(ordered("[b]", "[a]").find("clique must not have circular dependencies"),
            std::string::npos);
  EXPECT_EQ(ordered("[]", "[b]"),
            "spec.template.cliques[1].spec.startsAfter: Invalid value: \"b\": clique dependency "
            "cannot refer to itself");
  EXPECT_NE(ordered("[]", "[nobody]").find("unknown clique names found"), std::string::npos);
  EXPECT_NE(ordered("[]", "[a, a]").find("spec.template.cliques[1].spec.startsAfter: Duplicate"),
            std::string::npos);
}

TEST_F(Refusals, ListsBeyondAnySense) {
  std::string cliques, members;
  for (int i = 0; i < 1'025; ++i) cliques += (i ? ", " : "") + Clique(fmt::format("c{}", i));
  EXPECT_EQ(Create({.cliques = cliques}),
            "spec.template.cliques: Too many: 1025: must have at most 1024 items");
  for (int i = 0; i < 5'000; ++i) members += (i ? ", w" : "w");
  EXPECT_EQ(Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: [" + members + "]}]"}),
            "spec.template.podCliqueScalingGroups.cliqueNames: Too many: 5000: must have at most "
            "4096 items");
  // A pairwise comparison would take minutes.
  std::string names;
  for (int i = 0; i < 50'000; ++i) names += fmt::format("{}n{}", i ? ", " : "", i);
  EXPECT_NE(Create({.tmpl = "cliqueStartupType: CliqueStartupTypeExplicit",
                    .spec = "startsAfter: [" + names + "]"})
                .find("unknown clique names found"),
            std::string::npos);
}

TEST_F(Refusals, EnvironmentVariables) {
  const std::string bad =
      "{name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: [{name: c, image: i, env: "
      "[{name: 1A}]}], initContainers: [{name: d, image: i, env: [{name: ..}]}]}}}";
  EXPECT_EQ(Create({.cliques = bad}),
            "[spec.template.cliques[0].spec.podSpec.spec.containers[0].env[0].name: Invalid value: "
            "\"1A\": a valid environment variable name must consist of alphabetic characters, "
            "digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or "
            "'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is "
            "'[-._a-zA-Z][-._a-zA-Z0-9]*'), "
            "spec.template.cliques[0].spec.podSpec.spec.initContainers[0].env[0].name: Invalid "
            "value: \"..\": must not be '..']");
}

// What the schema rejects before the webhook has the same field and kind.
TEST_F(Refusals, BySchema) {
  EXPECT_THAT(
      Create({.cliques = "{name: w, spec: {roleName: w, replicas: 1, podSpec: {containers: [{name: "
                         "c, image: i, env: [{name: A}, {name: A}]}]}}}"}),
      HasSubstr("spec.template.cliques[0].spec.podSpec.containers[0].env[1]: Duplicate value"));
  EXPECT_THAT(Create({.tmpl = "cliqueStartupType: Whenever"}),
              HasSubstr("spec.template.cliqueStartupType: Unsupported value: \"Whenever\""));
  EXPECT_THAT(Create({.tmpl = "resourceSharing: [{name: a, scope: Sometimes}]"}),
              HasSubstr("spec.template.resourceSharing[0].scope: Unsupported value"));
  EXPECT_THAT(Create({.metadata = "name: App"}),
              HasSubstr("metadata.name: Invalid value: \"App\""));
}

TEST_F(Refusals, NumbersOutOfRange) {
  EXPECT_EQ(Create({.set = "replicas: -1"}),
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0");
  EXPECT_THAT(
      Create({.spec = "replicas: -1"}),
      HasSubstr("spec.template.cliques[0].spec.replicas: Invalid value: -1: must be greater "
                "than 0"));
  EXPECT_EQ(Create({.tmpl = "terminationDelay: 0s"}),
            "spec.template.terminationDelay: Invalid value: \"0s\": terminationDelay must be "
            "greater than 0");
  EXPECT_EQ(Create({.spec = "autoScalingConfig: {minReplicas: 1, maxReplicas: 3}"}),
            "spec.template.cliques[0].spec.autoScalingConfig.minReplicas: Invalid value: 1: must "
            "be greater than or equal to podCliqueSpec.minAvailable");
  EXPECT_EQ(Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: [w], replicas: 0}]"}),
            "[spec.template.podCliqueScalingGroups[0].replicas: Invalid value: 0: must be greater "
            "than 0, spec.template.podCliqueScalingGroups[0].minAvailable: Invalid value: 1: "
            "minAvailable must not be greater than replicas]");
}

TEST_F(Refusals, NamesThatAreMissing) {
  EXPECT_EQ(Create({.cliques = "{name: '', spec: {roleName: w, replicas: 1, podSpec: {containers: "
                               "[{name: c, image: i}]}}}"}),
            "spec.template.cliques[0].name: Required value: field cannot be empty");
  EXPECT_EQ(Create({.tmpl = "resourceClaimTemplates: [{name: '', templateSpec: {spec: {}}}]"}),
            "[spec.template.resourceClaimTemplates[0].name: Required value: template name is "
            "required, spec.template.resourceClaimTemplates[0].templateSpec.spec.devices.requests: "
            "Required value: at least one device request is required]");
  EXPECT_EQ(Create({.tmpl = "resourceSharing: [{name: '', scope: PerReplica}]"}),
            "spec.template.resourceSharing[0].name: Required value: reference name is required");
  EXPECT_EQ(Create({.tmpl = "resourceSharing: [{name: a, scope: PerReplica, filter: {}}]"}),
            "spec.template.resourceSharing[0].filter: Required value: filter must specify at least "
            "one childCliqueNames or childScalingGroupNames entry");
  EXPECT_EQ(Create({.tmpl = "resourceSharing: [{name: a, scope: PerReplica, filter: "
                            "{childScalingGroupNames: [x]}}]"}),
            "spec.template.resourceSharing[0].filter.childScalingGroupNames[0]: Not found: \"x\"");
  EXPECT_EQ(Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: [w], resourceSharing: "
                            "[{name: a, scope: PerReplica, filter: {}}]}]"}),
            "spec.template.podCliqueScalingGroups[0].resourceSharing[0].filter: Required value: "
            "filter must specify at least one childCliqueNames entry");
}

TEST_F(Refusals, NameBudget) {
  const std::string name(20, 'w');
  EXPECT_EQ(Create({.cliques = Clique(name), .metadata = "name: " + std::string(25, 'a')}), "");
  EXPECT_NE(Create({.cliques = Clique(name), .metadata = "name: " + std::string(26, 'a')})
                .find("combined resource name length 46 exceeds 45-character limit"),
            std::string::npos);
}

TEST_F(Refusals, ScalingGroups) {
  EXPECT_EQ(Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: [w, a, b]}]"}),
            "spec.template.podCliqueScalingGroups[0].cliqueNames: Invalid value: \"a,b\": "
            "unidentified PodClique names found");
  EXPECT_EQ(Create({.tmpl = "podCliqueScalingGroups: [{name: G, cliqueNames: [w]}]"}),
            "spec.template.podCliqueScalingGroups[0].name: Invalid value: \"G\": invalid "
            "PodCliqueScalingGroupConfig name, must be a valid DNS subdomain");
  EXPECT_EQ(
      Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: [w], minAvailable: 0}]"}),
      "spec.template.podCliqueScalingGroups[0].minAvailable: Invalid value: 0: must be "
      "greater than 0");
  EXPECT_EQ(Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: []}]"}),
            "spec.template.podCliqueScalingGroups[0].cliqueNames: Required value: a group needs at "
            "least one PodClique");
  EXPECT_EQ(Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: [w], scaleConfig: "
                            "{minReplicas: 3, maxReplicas: 2}}]"}),
            "spec.template.podCliqueScalingGroups[0].scaleConfig.maxReplicas: Invalid value: 2: "
            "must be greater than or equal to scaleConfig.minReplicas");
}

TEST_F(Refusals, Claims) {
  const std::string spec =
      "templateSpec: {spec: {devices: {requests: [{name: r, exactly: "
      "{deviceClassName: d}}]}}}";
  const std::string two =
      fmt::format("resourceClaimTemplates: [{{name: t, {0}}}, {{name: t, {0}}}]", spec);
  EXPECT_EQ(Create({.tmpl = two}),
            "spec.template.resourceClaimTemplates.name: Duplicate value: [\"t\"]");
  EXPECT_EQ(
      Create({.tmpl = fmt::format("resourceClaimTemplates: [{{name: t, {}}}], resourceSharing: "
                                  "[{{name: t, namespace: other, scope: PerReplica}}]",
                                  spec)}),
      "spec.template.resourceSharing[0].namespace: Invalid value: \"other\": namespace must be "
      "empty when name matches an internal resourceClaimTemplate");
  EXPECT_EQ(Create({.clique = "resourceSharing: [{name: a, scope: PerReplica}, {name: a, scope: "
                              "AllReplicas}]"}),
            "spec.template.cliques[0].resourceSharing[1].name: Duplicate value: \"a\"");
  EXPECT_EQ(
      Create({.tmpl = "podCliqueScalingGroups: [{name: g, cliqueNames: [w], resourceSharing: "
                      "[{name: a, scope: PerReplica, filter: {childCliqueNames: [x]}}]}]"}),
      "spec.template.podCliqueScalingGroups[0].resourceSharing[0].filter.childCliqueNames[0]: "
      "Not found: \"x\"");
}

TEST_F(Refusals, Schedulers) {
  const std::string words = Create(
      {.cliques =
           R"({name: w, spec: {roleName: w, replicas: 1, podSpec: {schedulerName: nobody, containers: [{name: c, image: i}]}}})"});
  EXPECT_NE(words.find("spec.template.cliques.spec.podSpec.schedulerName: Invalid value: "
                       "\"nobody\": schedulerName must be an enabled scheduler backend; this "
                       "scheduler is not enabled in OperatorConfiguration"),
            std::string::npos)
      << words;
  EXPECT_NE(words.find("schedulerName \"nobody\" is not enabled in OperatorConfiguration"),
            std::string::npos)
      << words;
}

TEST_F(Refusals, Topology) {
  const auto constraint = [](const std::string& text) {
    return "topologyConstraint: {" + text + "}";
  };
  EXPECT_EQ(Create({.tmpl = constraint("topologyName: other, pack: {required: rack}")}),
            "spec.template.topologyConstraint.topologyName: Invalid value: \"other\": "
            "ClusterTopologyBinding \"other\" not found");
  EXPECT_EQ(
      Create({.tmpl = constraint("topologyName: topo, pack: {required: row, preferred: cage}")}),
      "[spec.template.topologyConstraint.pack.required: Invalid value: \"row\": topology "
      "domain 'row' does not exist in cluster topology [zone block rack], "
      "spec.template.topologyConstraint.pack.preferred: Invalid value: \"cage\": topology "
      "domain 'cage' does not exist in cluster topology [zone block rack]]");
  EXPECT_EQ(
      Create({.tmpl = constraint("topologyName: topo, pack: {required: zone, preferred: rack}"),
              .clique = constraint("pack: {required: rack, preferred: block}")}),
      "spec.template.topologyConstraint.pack.preferred: Invalid value: \"rack\": PodCliqueSet "
      "topology constraint domain 'rack' is narrower than PodClique 'w' topology constraint "
      "domain 'block'");
  const std::string topo = ", " + constraint("topologyName: topo, pack: {required: rack}");
  const std::string other = ", " + constraint("topologyName: other, pack: {required: rack}");
  EXPECT_EQ(Create({.cliques = "{name: a" + topo + Clique("a").substr(8) + ", {name: b" + other +
                               Clique("b").substr(8)}),
            "[spec.template.cliques[0].topologyConstraint.topologyName: Invalid value: \"topo\": "
            "all topologyConstraint.topologyName values within a PodCliqueSet must match in the "
            "current implementation, spec.template.cliques[1].topologyConstraint.topologyName: "
            "Invalid value: \"other\": all topologyConstraint.topologyName values within a "
            "PodCliqueSet must match in the current implementation]");
  // A name that contradicts the set's is not inherited.
  EXPECT_EQ(Create({.tmpl = constraint("topologyName: topo, pack: {required: zone}") +
                            ", podCliqueScalingGroups: [{name: g, cliqueNames: [w]" + other + "}]",
                    .clique = constraint("topologyName: topo, pack: {required: rack}")}),
            "spec.template.podCliqueScalingGroups[0].topologyConstraint.topologyName: Invalid "
            "value: \"other\": all topologyConstraint.topologyName values within a PodCliqueSet "
            "must match in the current implementation");
}

TEST_F(Refusals, UpdatesOfCliques) {
  EXPECT_EQ(Update({.cliques = Clique("a")}, {.cliques = Clique("b")}),
            "spec.template.cliques.name: Forbidden: not allowed to change clique composition, new "
            "clique name 'b' is not allowed");
  EXPECT_EQ(Update({.cliques = Clique("a") + ", " + Clique("b")},
                   {.cliques = Clique("b") + ", " + Clique("a")}),
            "");
  const std::string in_order = "cliqueStartupType: CliqueStartupTypeInOrder";
  EXPECT_EQ(Update({.tmpl = in_order, .cliques = Clique("a") + ", " + Clique("b")},
                   {.tmpl = in_order, .cliques = Clique("b") + ", " + Clique("a")}),
            "[spec.template.cliques: Invalid value: \"b\": clique order cannot be changed when "
            "StartupType is InOrder or Explicit. Expected 'b' at position 0, got 'b', "
            "spec.template.cliques: Invalid value: \"a\": clique order cannot be changed when "
            "StartupType is InOrder or Explicit. Expected 'a' at position 1, got 'a']");
  const std::string sharing = "resourceSharing: [{name: x, scope: PerReplica}]";
  EXPECT_EQ(Update({}, {.clique = sharing}),
            "spec.template.cliques[0].resourceSharing: Invalid value: "
            "[{\"name\":\"x\",\"scope\":\"PerReplica\"}]: field is immutable");
  EXPECT_EQ(Update({.clique = sharing}, {}),
            "spec.template.cliques[0].resourceSharing: Invalid value: null: field is immutable");
  const std::string explicitly = "cliqueStartupType: CliqueStartupTypeExplicit";
  EXPECT_EQ(
      Update({.tmpl = explicitly, .cliques = Clique("a") + ", " + Clique("b", "startsAfter: [a]")},
             {.tmpl = explicitly, .cliques = Clique("a") + ", " + Clique("b")}),
      "spec.template.cliques.spec.startsAfter: Invalid value: null: field is immutable");
}

TEST_F(Refusals, UpdatesThatAreAllowed) {
  EXPECT_EQ(Update({}, {.tmpl = "terminationDelay: 1h, priorityClassName: x"}), "");
  EXPECT_EQ(Update({}, {.clique = "labels: {a: b}, annotations: {c: d}"}), "");
  EXPECT_EQ(Update({.spec = "minAvailable: 2"},
                   {.spec = "minAvailable: 2, autoScalingConfig: {maxReplicas: 5}"}),
            "");
}

TEST_F(Refusals, UpdatesOfConstraints) {
  const std::string rack = "topologyConstraint: {topologyName: topo, pack: {required: rack}}";
  EXPECT_EQ(Update({.clique = rack}, {}),
            "spec.template.cliques[0].topologyConstraint: Forbidden: PodClique 'w' topology "
            "constraint cannot be removed after creation");
  EXPECT_EQ(Update({.tmpl = rack},
                   {.tmpl = "topologyConstraint: {topologyName: topo, pack: {required: rack, "
                            "preferred: rack}}"}),
            "spec.template.topologyConstraint: Forbidden: PodCliqueSet topology constraint cannot "
            "be changed from required=\"rack\" preferred=\"\" to required=\"rack\" "
            "preferred=\"rack\"");
}

TEST_F(Refusals, MnnvlAnnotationWhileTheFeatureIsOff) {
  EXPECT_EQ(Create({.metadata = "name: app, annotations: {grove.io/mnnvl-group: none}"}), "");
  EXPECT_EQ(Create({.metadata = "name: app, annotations: {grove.io/mnnvl-group: a}"}),
            "metadata.annotations.grove.io/mnnvl-group: Invalid value: \"a\": MNNVL is not enabled "
            "in the operator configuration. Either enable MNNVL globally or remove the "
            "grove.io/mnnvl-group annotation");
}

TEST(RefusalsWithoutTopology, ConstraintsAreRefused) {
  World world(Options(false));
  const auto created = world.TryCreate(*json::ParseYaml(SetFrom(
      {.tmpl = "topologyConstraint: {topologyName: t, pack: {required: rack, preferred: host}}"})));
  ASSERT_FALSE(created);
  EXPECT_NE(created.error().message().find(
                "spec.template.topologyConstraint: Invalid value: [\"rack\",\"host\"]: topology "
                "constraints are not allowed when Topology Aware Scheduling is disabled"),
            std::string::npos)
      << created.error().message();
}

TEST(RefusalsWithMnnvl, GroupsAreNamesAndStay) {
  World world(Options(true, true));
  const auto bad = world.TryCreate(*json::ParseYaml(
      SetFrom({.metadata = "name: app, annotations: {grove.io/mnnvl-group: A_b}"})));
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message().find("mnnvl-group value \"A_b\" is not a valid DNS-1123 label"),
            std::string::npos)
      << bad.error().message();
  world.Create(SetFrom({.metadata = "name: app, annotations: {grove.io/mnnvl-group: a}"}));
  json::Value set = world.Get(api::kPodCliqueSets, "app");
  set.Mutable("metadata").Mutable("annotations").Set("grove.io/mnnvl-group", "b");
  const auto changed = world.client->Update(api::kPodCliqueSets, set);
  ASSERT_FALSE(changed);
  EXPECT_NE(
      changed.error().message().find("annotation grove.io/mnnvl-group is immutable and cannot "
                                     "be changed from \"a\" to \"b\""),
      std::string::npos)
      << changed.error().message();
}

}  // namespace
}  // namespace coppice::operators
