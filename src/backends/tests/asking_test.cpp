// A process without backend controllers, such as one that serves webhooks or an operator whose
// backends run elsewhere: it also uses the backends, and must have the same information.
#include <gtest/gtest.h>

#include "backends/model/labels.h"
#include "backends/tests/world_testing.h"
#include "kube/object.h"
#include "tests/crds/crds.h"

namespace coppice::backends {
namespace {

using json::Value;

constexpr char kPodGroupLabel[] = "pod-group.scheduling.sigs.k8s.io";

class Asker {
 public:
  explicit Asker(World& world, const std::string& config = "{}")
      : stepper_(world.stepper), client_(world.server->NewClient(stepper_)) {
    manager_ = kube::Manager::Make(*client_, stepper_);
    backends = *MakeBackends(*manager_, *ParseConfig(Yaml(config)));
    manager_->Start();
    stepper_.RunFor(std::chrono::seconds(1));
  }
  ~Asker() {
    manager_->Stop();
    stepper_.RunUntilIdle();
  }

  // The labels of a new pod of the example's set.
  Value LabelsFor(const std::string& scheduler) {
    const Value set = ExampleSet(scheduler);
    const Value clique = Yaml("{metadata: {name: llm-0-fe, namespace: ai}}");
    Value pod = Yaml("{metadata: {name: p, namespace: ai}, spec: {containers: [{name: c}]}}");
    pod.Mutable("metadata").Set("labels", Value::Object({{labels::kPodGang, "llm-0"}}));
    const base::Status prepared = backends->PreparePod(set, clique, 0, pod);
    EXPECT_TRUE(prepared.ok()) << prepared.error().ToString();
    return pod["metadata"]["labels"];
  }

 private:
  kube::Stepper& stepper_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Manager> manager_;

 public:
  std::unique_ptr<Backends> backends;
};

TEST(Asking, AnObjectThatIsThereIsSeenByTheFirstQuestion) {
  World world({.projects = {"grove", "volcano"}});
  world.Create(
      Yaml("{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, "
           "metadata: {name: team-a}, spec: {weight: 1}}"));
  world.SetStatus({"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false}, "", "team-a",
                  Yaml("{state: Open}"));
  Asker asker(world, "{scheduler: {profiles: [{name: volcano}]}}");
  Value set = ExampleSet("volcano");
  set.Mutable("spec").Mutable("template").Erase("topologyConstraint");
  for (const base::FieldCause& cause : asker.backends->Validate(set, {})) {
    EXPECT_EQ(cause.message.find("queue"), std::string::npos) << cause.message;
  }
}

TEST(Asking, ADefinitionThatComesLaterCounts) {
  World world({});
  Asker asker(world, "{scheduler: {profiles: [{name: koord-scheduler}]}}");
  EXPECT_FALSE(asker.LabelsFor("koord-scheduler").Has(kPodGroupLabel));
  for (const Value& crd : test_crds::Of("koordinator"))
    ASSERT_TRUE(world.server->InstallCrd(crd).ok());
  world.RunFor(std::chrono::seconds(2));
  EXPECT_TRUE(asker.LabelsFor("koord-scheduler").Has(kPodGroupLabel));
}

TEST(Asking, ABackendThatIsEnabledLaterKnowsWhatIsServed) {
  World world({.projects = {"grove", "kai", "koordinator"}});
  Asker asker(world, "{scheduler: {profiles: [{name: kai-scheduler}]}}");
  asker.backends->Validate(ExampleSet("default-scheduler"), {});  // Runs discovery.
  const auto config = ParseConfig(Yaml("{scheduler: {profiles: [{name: koord-scheduler}]}}"));
  ASSERT_TRUE(asker.backends->Reconfigure(*config).ok());
  EXPECT_TRUE(asker.LabelsFor("koord-scheduler").Has(kPodGroupLabel));
}

}  // namespace
}  // namespace coppice::backends
