// Builds the example outside the main build, with only the C header, and loads it.
#include "backends/plugin/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "backends/framework/registry.h"
#include "backends/gangs/translate.h"
#include "backends/tests/example_testing.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::backends::plugin {
namespace {

using json::Value;
using testing::HasSubstr;

const api::Resource kGangs{"acme.example.com", "v1", "gangs", "Gang", true};

class SharedObject : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Unique to this process: another one may be building the example too.
    folder_ = std::filesystem::temp_directory_path() /
              fmt::format("coppice-plugin-{}", std::random_device{}());
    std::filesystem::create_directories(folder_);
    const std::string source = std::string(COPPICE_SOURCE_DIR) + "/examples/custom_backend_so";
    // Copies only the header: the example must not see the rest of the tree.
    std::filesystem::copy_file(std::string(COPPICE_SOURCE_DIR) + "/src/backends/plugin_abi.h",
                               folder_ / "plugin_abi.h",
                               std::filesystem::copy_options::overwrite_existing);
    const std::string command = fmt::format("make -s -C {} COPPICE_INCLUDE={} OUT={}", source,
                                            folder_.string(), folder_.string());
    built_ = std::system(command.c_str()) == 0;
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(folder_); }

  void SetUp() override { ASSERT_TRUE(built_) << "the example does not build"; }

  static std::string Path() { return (folder_ / "libacme_backend.so").string(); }

  static GangInput Input() {
    GangInput input =
        ExampleInput(ExampleGang("acme-scheduler"), "acme-scheduler", Capabilities().Serve(kGangs));
    input.gang.topology = {};
    return input;
  }

  static inline std::filesystem::path folder_;
  static inline bool built_ = false;
};

TEST_F(SharedObject, TranslatesGangsAndMarksPods) {
  const auto backend = Load(Path());
  ASSERT_TRUE(backend.ok()) << backend.error().ToString();
  EXPECT_EQ((*backend)->name(), "acme");
  EXPECT_TRUE((*backend)->Matches("acme-scheduler"));
  EXPECT_EQ((*backend)->SchedulingGate(), "acme.example.com/gang");
  EXPECT_EQ((*backend)->Resources().at(0).resource.QualifiedName(), "gangs.acme.example.com");
  const Translation translation = TranslateGang(**backend, Input());
  EXPECT_THAT(WithoutTracking(translation), testing::ElementsAre(Yaml(R"(
apiVersion: acme.example.com/v1
kind: Gang
metadata: {name: llm-0, namespace: ai}
spec: {minMember: 6, roles: [{name: llm-0-fe, minimum: 2}, {name: llm-0-pf-0-wk, minimum: 4}]}
)")));
  Value pod = Yaml("{spec: {}}");
  ASSERT_TRUE(PrepareGangPod(**backend, Input(), {"llm-0-fe", 0}, pod).ok());
  EXPECT_EQ(kube::Label(pod, "acme.example.com/role"), "llm-0-fe");
}

TEST_F(SharedObject, RefusesAndReports) {
  const auto backend = Load(Path());
  ASSERT_TRUE(backend.ok());
  GangInput constrained = Input();
  constrained.gang.topology.required = "rack";
  EXPECT_EQ(TranslateGang(**backend, constrained).refusal.value().reason, "CapabilityMissing");
  const std::vector<Value> objects = {Yaml("{status: {phase: Waiting, message: full}}")};
  const Signals signals = (*backend)->ReadSignals(Input(), objects, {});
  EXPECT_EQ(signals.unschedulable_reason, "WaitingForAcme");
  EXPECT_EQ(signals.unschedulable_message, "full");
}

TEST_F(SharedObject, WaitsUntilItsKindIsServed) {
  const auto backend = Load(Path());
  ASSERT_TRUE(backend.ok());
  GangInput input = Input();
  input.capabilities = std::make_shared<Capabilities>();
  const auto refusal = TranslateGang(**backend, input).refusal;
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->reason, "BackendUnavailable");
  EXPECT_EQ(refusal->message, "the cluster does not serve gangs.acme.example.com/v1");
}

TEST_F(SharedObject, ServesThroughTheConfiguration) {
  BackendConfig config = AllBackends();
  config.plugins.push_back(Path());
  const auto backends = BackendSet::Make(config);
  ASSERT_TRUE(backends.ok()) << backends.error().ToString();
  const auto instance = (*backends)->ByScheduler("acme-scheduler");
  ASSERT_TRUE(instance.ok());
  EXPECT_EQ((*instance)->backend->name(), "acme");
}

TEST_F(SharedObject, RunsOnAServerAsAnyBackend) {
  World world({.projects = {"grove"}});
  std::ifstream crd(std::string(COPPICE_SOURCE_DIR) + "/examples/custom_backend_declared/crd.yaml");
  const std::string text((std::istreambuf_iterator<char>(crd)), {});
  ASSERT_TRUE(world.server->InstallCrd(Yaml(text)).ok());
  BackendConfig config = world.backends->current()->config();
  config.plugins.push_back(Path());
  ASSERT_TRUE(world.backends->Reconfigure(config).ok());
  Example example(world, "acme-scheduler",
                  Yaml("{spec: {topologyConstraint: null, podgroups: [{name: llm-0-fe, "
                       "minReplicas: 2, podReferences: [{namespace: ai, name: fe-a}, {namespace: "
                       "ai, name: fe-b}]}]}}"));
  example.CreatePods();
  EXPECT_EQ(example.Synced(), "True Synced");
  EXPECT_EQ(world.Get(kGangs, "ai", "llm-0")["spec"]["minMember"].AsInt(), 2);
  EXPECT_EQ(world.Get(api::kPods, "ai", "fe-a")["spec"]["schedulingGates"],
            Yaml("[{name: acme.example.com/gang}]"));
  EXPECT_EQ(example.Release(), 2);
  example.BindAll();
  EXPECT_EQ(example.Condition("Ready")["status"].AsString(), "True");
}

TEST(SharedObjectErrors, AreNamedWithTheFile) {
  EXPECT_THAT(Load("/nowhere/lib.so").error().message(), HasSubstr("/nowhere/lib.so"));
  EXPECT_THAT(Load("libm.so.6").error().message(), HasSubstr("coppice_backend_open_v1"));
}

}  // namespace
}  // namespace coppice::backends::plugin
