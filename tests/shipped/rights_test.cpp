// Installs the manifests of deploy/ on the embedded server and runs every component as a process
// with the rights of its own service account. Whatever is Forbidden fails the test, and so does a
// right that nobody uses, unless unused_rights.yaml says why it is there.
#include <gtest/gtest.h>

#include <thread>

#include "api/well_known.h"
#include "backends/gangs/rbac.h"
#include "installation_testing.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "scenario/shorthand.h"

namespace coppice::packaging {
namespace {

using json::Value;

constexpr std::string_view kQueues = R"(
queues: [{name: top}, {name: lender, parent: top, gpus: 8}, {name: borrower, parent: top, gpus: 0}]
)";
constexpr std::string_view kWork = R"(
groups: [{name: g, queue: borrower, spec: {minMember: 2}}]
pods:
- {name: gang, count: 2, gpus: 1, queue: borrower, group: g}
- {name: part, count: 2, queue: borrower, annotations: {gpu-fraction: "0.5"}}
)";
// What people run without knowing of gangs.
constexpr std::string_view kJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: default}
spec:
  parallelism: 1
  completions: 1
  template:
    metadata: {labels: {kai.scheduler/queue: borrower}}
    spec: {schedulerName: kai-scheduler, restartPolicy: Never, containers: [{name: main, image: i}]}
)";
constexpr std::string_view kDeployment = R"(
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, kai.scheduler/queue: borrower}}
    spec: {schedulerName: kai-scheduler, containers: [{name: main, image: i}]}
)";

constexpr std::string_view kReclaim = "pods: [{name: own, count: 6, gpus: 1, queue: lender}]";

constexpr std::string_view kSet = R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {name: set, namespace: default, labels: {kai.scheduler/queue: lender}}
spec:
  replicas: 1
  template:
    cliqueStartupType: CliqueStartupTypeInOrder
    cliques:
    - name: a
      spec: {roleName: a, replicas: 1, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: "1"}}}]}}
    - name: b
      spec: {roleName: b, replicas: 2, autoScalingConfig: {maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}, podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: "1"}}}]}}
)";

std::string Text(const Deeds& deeds) {
  std::string text;
  for (const auto& [account, all] : deeds) {
    for (const std::string& deed : all) text += fmt::format("{}: {}\n", account, deed);
  }
  return text;
}

// Reading is one right, in whichever way it is done.
std::string Right(std::string deed) {
  for (const char* verb : {"get ", "list ", "watch "}) {
    if (deed.starts_with(verb)) return "read " + deed.substr(deed.find(' ') + 1);
  }
  return deed;
}

// The rights that a role gives.
std::set<std::string> AllowedBy(const Value& role) {
  std::set<std::string> deeds;
  for (const Value& rule : role["rules"].Items()) {
    for (const Value& group : rule["apiGroups"].Items()) {
      for (const Value& resource : rule["resources"].Items()) {
        const std::string name = resource.ToString();
        const size_t slash = std::min(name.find('/'), name.size());
        const std::string dot = group.AsString().empty() ? "" : "." + group.ToString();
        for (const Value& verb : rule["verbs"].Items()) {
          deeds.insert(Right(fmt::format("{} {}{}{}", verb.AsString(), name.substr(0, slash), dot,
                                         name.substr(slash))));
        }
      }
    }
  }
  return deeds;
}

// Rights that are kept although this test does not use them: role → deeds.
Deeds KeptRights() {
  Deeds kept;
  const std::vector<Value> documents = ReadDocuments("tests/shipped/unused_rights.yaml");
  for (const Value& entry : documents.at(0).Items()) {
    EXPECT_FALSE(entry["why"].AsString().empty());
    std::set<std::string>& deeds = kept[entry["role"].ToString()];
    deeds.merge(AllowedBy(Value::Object({{"rules", entry["rights"]}})));
  }
  return kept;
}

class Rights : public ::testing::TestWithParam<std::string> {
 protected:
  void Install(const std::vector<Value>& manifests) {
    for (const Value& object : manifests) ASSERT_NO_FATAL_FAILURE(there_.Apply(object));
    for (const Value& object : manifests) {
      if (object["kind"].AsString() == "Deployment") there_.Run(object);
    }
  }

  // A new process for each Deployment that the platform operator makes.
  void RunWhatThePlatformDeploys() {
    const std::vector<std::string> wanted = {
        "admission",           "binder",          "kai-scheduler-default", "pod-grouper",
        "podgroup-controller", "queue-controller"};
    const auto deployments = [&] {
      return there_.admin().List(api::kDeployments, {.ns = std::string(kNamespace)})->items;
    };
    ASSERT_TRUE(there_.Wait([&] {
      std::set<std::string> names;
      for (const Value& deployment : deployments()) names.emplace(kube::Name(deployment));
      return std::includes(names.begin(), names.end(), wanted.begin(), wanted.end());
    })) << there_.LogOf("coppice-platform")
        << Text(there_.Forbidden());
    for (const Value& deployment : deployments()) there_.Run(deployment);
  }

  void Create(std::string_view shorthand) {
    const std::vector<Value> objects = *scenario::ExpandObjects(*json::ParseYaml(shorthand));
    for (const Value& object : objects) {
      ASSERT_NO_FATAL_FAILURE(there_.Apply(object));
    }
  }

  // Until a queue without resources, which only a webhook refuses, is refused.
  bool WebhooksAnswer() {
    const Value nonsense = *json::ParseYaml(
        "{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: nonsense}, spec: {}}");
    const Value no_set = *json::ParseYaml(
        "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: nonsense, namespace: "
        "default}, spec: {replicas: 1, template: {cliques: [{name: a, spec: {roleName: a, "
        "replicas: 1, minAvailable: 2, podSpec: {containers: [{name: c, image: i}]}}}]}}}");
    const Value pod = *json::ParseYaml(
        "{apiVersion: v1, kind: Pod, metadata: {name: nonsense, namespace: default, annotations: "
        "{gpu-fraction: many}}, spec: {schedulerName: kai-scheduler, containers: [{name: c, "
        "image: i}]}}");
    const auto refused = [&](const api::Resource& resource, const Value& object) {
      const auto created = there_.admin().Create(resource, object, {.dry_run = true});
      return !created && created.error().message().find("denied the request") != std::string::npos;
    };
    return there_.Wait([&] {
      return refused(api::kQueues, nonsense) && refused(api::kPodCliqueSets, no_set) &&
             refused(api::kPods, pod);
    });
  }

  size_t RunningPods(const std::string& labels = "") {
    return there_.admin()
        .List(api::kPods,
              {.ns = "default", .label_selector = labels, .field_selector = "status.phase=Running"})
        ->items.size();
  }

  void ExpectRunning(size_t pods) {
    const bool reached =
        there_.Wait([&] { return RunningPods() == pods || !there_.Forbidden().empty(); });
    EXPECT_TRUE(reached && RunningPods() == pods)
        << RunningPods() << " pods run, not " << pods << "\n"
        << Text(there_.Forbidden());
  }

  // Made from what the backends declare, and no more (Rbac.OnlyWhatEnabledBackendsUse); that it is
  // enough for each of them is for schedulers_test.cpp.
  static bool IsGenerated(const Value& role) {
    const std::string_view name = kube::Name(role);
    return name == "coppice-operator-backends" || name.starts_with("coppice-backend-");
  }

  // Everything that a role allows and none of its accounts did.
  Deeds Unused(const std::vector<Value>& manifests) {
    const Deeds done = there_.Done();
    Deeds unused;
    for (const Value& role : manifests) {
      if (!role["kind"].AsString().ends_with("Role") || IsGenerated(role)) continue;
      std::set<std::string> used;
      for (const Value& binding : manifests) {
        if (binding["roleRef"]["name"].AsString() != kube::Name(role)) continue;
        const auto deeds = done.find(binding["subjects"].At(0)["name"].ToString());
        if (deeds == done.end()) continue;
        for (const std::string& deed : deeds->second) used.insert(Right(deed));
      }
      for (const std::string& deed : AllowedBy(role)) {
        if (!used.contains(deed)) unused[std::string(kube::Name(role))].insert(deed);
      }
    }
    return unused;
  }

  static Deeds Without(Deeds from, const Deeds& kept) {
    for (const auto& [role, deeds] : kept) {
      for (const std::string& deed : deeds) from[role].erase(deed);
    }
    return from;
  }

  Installation there_;
};

TEST_P(Rights, AreWhatTheComponentsNeed) {
  const std::vector<Value> manifests = ReadDocuments("deploy/manifests/" + GetParam() + ".yaml");
  ASSERT_FALSE(manifests.empty());
  ASSERT_NO_FATAL_FAILURE(Install(manifests));
  if (GetParam() == "platform") {
    ASSERT_NO_FATAL_FAILURE(RunWhatThePlatformDeploys());
  }
  ASSERT_TRUE(WebhooksAnswer()) << Text(there_.Forbidden());
  ASSERT_NO_FATAL_FAILURE(Create(kQueues));
  ASSERT_NO_FATAL_FAILURE(Create(kWork));
  ExpectRunning(4);
  there_.Apply(*json::ParseYaml(kJob));
  there_.Apply(*json::ParseYaml(kDeployment));
  ExpectRunning(6);
  there_.Apply(*json::ParseYaml(kSet));
  ExpectRunning(9);
  ASSERT_TRUE(there_.admin().Delete(api::kPodCliqueSets, {"default", "set"}));
  ExpectRunning(6);
  // Five GPUs are free; the sixth is taken back.
  ASSERT_NO_FATAL_FAILURE(Create(kReclaim));
  EXPECT_TRUE(there_.Wait([&] { return RunningPods("app=own") == 6; }));
  EXPECT_EQ(Text(there_.Forbidden()), "");
  // Some of them may be slow to start.
  const auto unused = [&] { return Text(Without(Unused(manifests), KeptRights())); };
  EXPECT_TRUE(there_.Wait([&] { return unused().empty(); }))
      << unused()
      << "rights that nobody used; take them out, or say in unused_rights.yaml what they are for";
}

INSTANTIATE_TEST_SUITE_P(Manifests, Rights,
                         ::testing::Values("separate", "one", "platform", "separate-backends"),
                         [](const auto& form) {
                           std::string name = form.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(BackendRights, TheChartHasThemAsTheProgramDeclaresThem) {
  const std::vector<Value> kept = ReadDocuments("deploy/chart/roles/backends.yaml");
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0], backends::RulesByBackend()) << "./dev manifests";
}

// The Jobs that the chart runs before and after the rest.
TEST(HookRights, AreWhatTheStepsNeed) {
  Installation there;
  const std::vector<Value> hooks = ReadDocuments("tests/shipped/hooks.yaml");
  for (const Value& object : hooks) there.Apply(object);
  for (const char* name :
       {"crd-upgrader", "topology-migration", "kai-config-deployer", "post-delete-cleanup"}) {
    const auto job = std::find_if(hooks.begin(), hooks.end(), [&](const Value& object) {
      return object["kind"].AsString() == "Job" && kube::Name(object) == name;
    });
    ASSERT_NE(job, hooks.end()) << name;
    EXPECT_EQ(there.RunJob(*job), 0) << there.LogOf(name);
    const bool there_is_a_config = there.admin().Get(api::kConfigs, {"", "kai-config"}).ok();
    EXPECT_EQ(there_is_a_config, name == std::string_view("kai-config-deployer")) << name;
  }
  EXPECT_EQ(Text(there.Forbidden()), "");
}

}  // namespace
}  // namespace coppice::packaging
