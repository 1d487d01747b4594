#include "backends/framework/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backends/model/labels.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;
using testing::HasSubstr;

std::shared_ptr<const BackendSet> BackendsOf(const std::string& config) {
  const auto parsed = ParseConfig(Yaml(config));
  EXPECT_TRUE(parsed.ok()) << parsed.error().ToString();
  const auto made = BackendSet::Make(*parsed);
  EXPECT_TRUE(made.ok()) << made.error().ToString();
  return *made;
}

std::shared_ptr<const BackendSet> All() { return *BackendSet::Make(AllBackends()); }

Value Set(const std::string& scheduler) { return ExampleSet(scheduler); }

std::string Chosen(const BackendSet& backends, const Value& set) {
  const auto selection = SelectForSet(backends, set);
  return selection ? std::string(selection->backend->name()) : selection.error().message();
}

TEST(Selection, EveryRowOfTheNameTable) {
  const auto backends = All();
  const std::map<std::string, std::string> rows = {
      {"", "default"},
      {"default-scheduler", "default"},
      {"kai-scheduler", "kai"},
      {"grove-scheduler", "podgang"},
      {"koord-scheduler", "koordinator"},
      {"my-koord-2", "koordinator"},
      {"volcano", "volcano"},
      {"yunikorn", "yunikorn"},
      {"scheduler-plugins-scheduler", "scheduler-plugins"},
      {"lpx-scheduler", "lpx"}};
  for (const auto& [scheduler, backend] : rows) {
    EXPECT_EQ(Chosen(*backends, Set(scheduler)), backend) << scheduler;
  }
}

TEST(Selection, SchedulerNamesOfAProfile) {
  const auto backends = BackendsOf(
      "{scheduler: {profiles: [{name: default-scheduler, config: {schedulerNames: [batch]}}]}}");
  const auto selection = SelectForSet(*backends, Set("batch"));
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->backend->name(), "default");
  EXPECT_EQ(selection->scheduler_name, "batch");
}

TEST(Selection, UnknownNamesAreRefusedWithWhatIsEnabled) {
  const auto backends = BackendsOf("{scheduler: {profiles: [{name: kai-scheduler}]}}");
  EXPECT_THAT(Chosen(*backends, Set("nobody")),
              testing::AllOf(HasSubstr("nobody"), HasSubstr("kai-scheduler, default-scheduler"),
                             HasSubstr("spec.template.cliques.spec.podSpec.schedulerName")));
  EXPECT_EQ(Chosen(*BackendsOf("{scheduler: {profiles: [{name: kai-scheduler}], unknownScheduler: "
                               "kai}}"),
                   Set("nobody")),
            "kai");
}

TEST(Selection, ADeclaredBackendIsDisabledByEitherOfItsNames) {
  for (const char* name : {"acme", "acme-scheduler"}) {
    const auto backends = BackendsOf(std::string("{scheduler: {profiles: [{name: ") + name +
                                     ", enabled: false}], declarations: [{name: acme, "
                                     "schedulerNames: [acme-scheduler], objects: []}]}}");
    EXPECT_EQ(backends->ByName("acme"), nullptr) << name;
  }
}

TEST(Selection, NamesInAConfigurationThatNobodyServesAreRefused) {
  const auto refusal = [](const std::string& scheduler) {
    const auto config = ParseConfig(Yaml("{scheduler: " + scheduler + "}"));
    if (!config) return config.error().message();
    const auto backends = BackendSet::Make(*config);
    return backends ? "" : backends.error().message();
  };
  EXPECT_THAT(refusal("{profiles: [{name: kay-scheduler}]}"),
              testing::AllOf(HasSubstr("\"kay-scheduler\" is neither"), HasSubstr("kai")));
  // A declaration next to it does not hide the mistake.
  EXPECT_THAT(refusal("{profiles: [{name: kay-scheduler}], declarations: [{name: acme, "
                      "schedulerNames: [acme-scheduler], objects: []}]}"),
              HasSubstr("\"kay-scheduler\" is neither"));
  for (const char* name : {"acme", "acme-scheduler"}) {
    EXPECT_EQ(refusal(std::string("{profiles: [{name: ") + name +
                      "}], declarations: [{name: acme, schedulerNames: [acme-scheduler], objects: "
                      "[]}]}"),
              "");
  }
  EXPECT_THAT(refusal("{unknownScheduler: zz}"), HasSubstr("scheduler.unknownScheduler"));
}

TEST(Selection, SeveralMatchingBackendsAreRefused) {
  const auto backends = BackendsOf(
      "{scheduler: {profiles: [{name: kai-scheduler, config: {schedulerNames: [both]}}, {name: "
      "volcano, config: {schedulerNames: [both]}}]}}");
  EXPECT_THAT(Chosen(*backends, Set("both")), HasSubstr("several scheduler backends serve"));
}

TEST(Selection, MixedNamesAreRefused) {
  Value set = Set("kai-scheduler");
  set.Mutable("spec")
      .Mutable("template")
      .Mutable("cliques")
      .MutableAt(1)
      .Mutable("spec")
      .Mutable("podSpec")
      .Set("schedulerName", "volcano");
  EXPECT_THAT(Chosen(*All(), set),
              HasSubstr("Invalid value: \"kai-scheduler, volcano\": the schedulerName for all pods "
                        "have to be the same"));
}

TEST(Selection, EmptyCountsAsTheDefaultProfile) {
  const auto backends = BackendsOf(
      "{scheduler: {profiles: [{name: kai-scheduler}], defaultProfileName: kai-scheduler}}");
  Value set = Set("");
  set.Mutable("spec")
      .Mutable("template")
      .Mutable("cliques")
      .MutableAt(1)
      .Mutable("spec")
      .Mutable("podSpec")
      .Set("schedulerName", "kai-scheduler");
  EXPECT_EQ(Chosen(*backends, set), "kai");
}

// Copies of live pods contain default-scheduler even if their author specified none.
TEST(Selection, EmptyAndDefaultSchedulerAreOneScheduler) {
  Value set = Set("");
  set.Mutable("spec")
      .Mutable("template")
      .Mutable("cliques")
      .MutableAt(1)
      .Mutable("spec")
      .Mutable("podSpec")
      .Set("schedulerName", "default-scheduler");
  for (const char* config :
       {"{}", "{scheduler: {profiles: [{name: workload}], defaultProfileName: workload}}",
        "{scheduler: {profiles: [{name: kai-scheduler}, {name: default}], defaultProfileName: "
        "default}}"}) {
    const auto selection = SelectForSet(*BackendsOf(config), set);
    ASSERT_TRUE(selection) << config << ": " << selection.error().message();
    EXPECT_EQ(selection->backend->name(), "default") << config;
    EXPECT_EQ(selection->scheduler_name, "default-scheduler") << config;
  }
  EXPECT_EQ(Chosen(*All(), set), "default");
  EXPECT_EQ(Chosen(*All(), Set("")), "default");
}

TEST(Selection, AnnotationOverrides) {
  Value set = Set("default-scheduler");
  set.Mutable("metadata").Mutable("annotations").Set(labels::kBackend, "volcano");
  const auto selection = SelectForSet(*All(), set);
  ASSERT_TRUE(selection.ok());
  EXPECT_EQ(selection->backend->name(), "volcano");
  EXPECT_EQ(selection->scheduler_name, "volcano");
  set.Mutable("metadata").Mutable("annotations").Set(labels::kBackend, "nope");
  EXPECT_THAT(Chosen(*All(), set),
              HasSubstr("no enabled scheduler backend is called \"nope\"; enabled: "));
}

TEST(Selection, DisabledProfilesDoNotServe) {
  const auto backends =
      BackendsOf("{scheduler: {profiles: [{name: kai-scheduler, enabled: false}]}}");
  EXPECT_EQ(backends->ByName("kai"), nullptr);
  EXPECT_THAT(Chosen(*backends, Set("kai-scheduler")), HasSubstr("no enabled scheduler backend"));
}

TEST(GangSelection, AllFourSourcesInOrder) {
  const auto backends = All();
  const auto chosen = [&](const std::string& labels, const std::string& pods) {
    const Value gang = Yaml("{metadata: {labels: " + labels + "}}");
    const auto selection = SelectForGang(*backends, gang, pods);
    return selection ? std::string(selection->backend->name()) : selection.error().message();
  };
  EXPECT_EQ(chosen("{grove.io/scheduler-backend: kai, grove.io/scheduler-name: volcano}", "x"),
            "kai");
  EXPECT_EQ(chosen("{grove.io/scheduler-backend: workload}", ""), "default");
  EXPECT_EQ(chosen("{grove.io/scheduler-name: volcano}", "yunikorn"), "volcano");
  EXPECT_EQ(chosen("{}", "yunikorn"), "yunikorn");
  EXPECT_EQ(chosen("{}", ""), "default");
}

TEST(SelectionCache, OncePerGenerationUntilTheConfigurationChanges) {
  const auto metrics = kube::Metrics::Make();
  SelectionCache cache(*metrics);
  const auto nobody = [] { return std::string(); };
  auto backends = All();
  Value set = Set("kai-scheduler");
  set.Mutable("metadata").Set("uid", "u").Set("generation", 1);
  ASSERT_TRUE(cache.Select(backends, set, nobody).ok());
  ASSERT_TRUE(cache.Select(backends, set, nobody).ok());
  set.Mutable("metadata").Set("generation", 2);
  ASSERT_TRUE(cache.Select(backends, set, nobody).ok());
  backends = All();
  ASSERT_TRUE(cache.Select(backends, set, nobody).ok());
  const std::string text = metrics->Text();
  EXPECT_THAT(text, HasSubstr("lookups_total{result=\"hit\"} 1"));
  EXPECT_THAT(text, HasSubstr("lookups_total{result=\"miss\"} 3"));
}

TEST(Config, MistakesAreNamed) {
  const auto error = [](const std::string& config) {
    const auto parsed = ParseConfig(Yaml(config));
    return parsed ? std::string() : parsed.error().message();
  };
  EXPECT_THAT(error("{compatibility: nope}"), HasSubstr("compatibility"));
  EXPECT_THAT(error("{scheduler: {profiles: [{}]}}"), HasSubstr("scheduler.profiles[0].name"));
  EXPECT_THAT(error("{scheduler: {profiles: [{name: volcano}, {name: volcano}]}}"),
              HasSubstr("listed twice"));
  EXPECT_THAT(error("{scheduler: {defaultProfileName: kai-scheduler}}"),
              HasSubstr("scheduler.defaultProfileName"));
  EXPECT_THAT(error("{scheduler: {profiles: [{name: volcano, config: {topology: {requiredGang: "
                    "Drop}}}]}}"),
              HasSubstr("config.topology.requiredGang"));
  const auto unknown =
      BackendSet::Make(*ParseConfig(Yaml("{scheduler: {profiles: [{name: nope}]}}")));
  EXPECT_THAT(unknown.error().message(), HasSubstr("nope"));
}

TEST(Config, OptionsThatABackendDoesNotKnowAreRefused) {
  const auto error = [](const std::string& profile, const std::string& more = "") {
    const auto config = ParseConfig(Yaml("{" + more + "scheduler: {profiles: [" + profile + "]}}"));
    if (!config) return config.error().message();
    const auto made = BackendSet::Make(*config);
    return made ? std::string() : made.error().message();
  };
  EXPECT_EQ(error("{name: kai-scheduler, config: {defaultQueue: a, admission: kueue}}"), "");
  EXPECT_EQ(error("{name: volcano}, {name: kai-scheduler, config: {defualtQueue: a}}"),
            "scheduler.profiles[1].config.defualtQueue: unknown; known are admission, "
            "defaultQueue, kueueMode, kueueTopology, reuseReservation, schedulerNames, topology");
  EXPECT_EQ(error("{name: volcano, config: {networkTopologyAware: 'yes'}}"),
            "scheduler.profiles[0].config.networkTopologyAware: must be true or false");
  EXPECT_EQ(error("{name: yunikorn, config: {gangSchedulingStyle: Firm}}"),
            "scheduler.profiles[0].config.gangSchedulingStyle: \"Firm\" is not one of Hard, Soft");
  EXPECT_EQ(error("{name: volcano, config: [a]}"),
            "scheduler.profiles[0].config: must be a mapping");
  EXPECT_EQ(error("{name: volcano, enabled: false, config: {later: 1}}"), "");
  // Grove's operator reads none of them.
  EXPECT_EQ(error("{name: kai-scheduler, config: {any: 1}}", "compatibility: grove, "), "");
}

// The options of shared objects and declarations are not known to us.
TEST(Config, ADeclaredBackendTakesAnyOption) {
  const auto made = BackendSet::Make(*ParseConfig(Yaml(
      "{scheduler: {profiles: [{name: acme, config: {colour: red}}], declarations: [{name: acme, "
      "schedulerNames: [acme], objects: []}]}}")));
  EXPECT_TRUE(made.ok()) << made.error().message();
}

TEST(CompatibilityPolicy, IsChosenByTheConfiguration) {
  EXPECT_EQ(ParseConfig(Yaml("{}"))->policy, &CompatibilityPolicy::Coppice());
  EXPECT_EQ(ParseConfig(Yaml("{compatibility: grove}"))->policy, &CompatibilityPolicy::Grove());
  EXPECT_FALSE(ParseConfig(Yaml("{compatibility: kai}")));
}

TEST(Gates, AreAskedOfTheBackend) {
  const auto backends = All();
  const std::map<std::string, std::string> gates = {
      {"default", "scheduling.k8s.io/workload"}, {"kai", "grove.io/podgang"},
      {"podgang", "grove.io/podgang"},           {"koordinator", "scheduling.koordinator.sh/gang"},
      {"volcano", "grove.io/podgang"},           {"yunikorn", "grove.io/podgang"},
      {"scheduler-plugins", "grove.io/podgang"}};
  for (const auto& [id, gate] : gates) {
    const SchedulerBackend& backend = *backends->ByName(id)->backend;
    EXPECT_EQ(backend.SchedulingGate(), gate) << id;
    EXPECT_EQ(CompatibilityPolicy::Grove().SchedulingGate(backend.SchedulingGate()),
              "grove.io/podgang-pending-creation")
        << id;
  }
}

}  // namespace
}  // namespace coppice::backends
