// The operator and a backend as separate processes, one of which is killed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>

#include "api/well_known.h"
#include "cli/run/processes_testing.h"
#include "json/parse.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

class BackendProcess : public testing::Test {
 protected:
  BackendProcess()
      : server_({"up", "--in-memory", "--listen", "127.0.0.1:0", "--write-kubeconfig",
                 folder_ / "kubeconfig", "--nodes", "0", "--components", "none"},
                folder_ / "server.log") {
    EXPECT_TRUE(server_.WaitForLine("Kubernetes API at"));
    cluster_ = std::make_unique<ClusterWatch>(
        folder_ / "kubeconfig",
        std::vector<api::Resource>{api::kPods, api::kPodGangs, api::kPodGroups,
                                   api::kValidatingWebhooks});
    operator_ = Run({"operator", "--without-backends"});
  }

  std::unique_ptr<Process> Run(std::vector<std::string> what) {
    what.insert(what.begin(), "run");
    what.insert(what.end(), {"--kubeconfig", folder_ / "kubeconfig"});
    return std::make_unique<Process>(what, folder_ / "run.log");
  }

  // For a user who may do everything that webhooks allow.
  std::string KubeconfigAs(const std::string& user) {
    std::stringstream text;
    text << std::ifstream(folder_ / "kubeconfig").rdbuf();
    Value config = *json::ParseYaml(text.str());
    config.Mutable("users")
        .MutableAt(0)
        .Mutable("user")
        .Set("as", user)
        .Set("as-groups", Value::Array({"system:masters"}));
    std::ofstream(folder_ / "other") << json::WriteYaml(config);
    return folder_ / "other";
  }

  static Value SetCalled(const std::string& name) {
    return *json::ParseYaml(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {namespace: default, name: )" +
                            name + R"(}
spec:
  replicas: 1
  template:
    cliques:
    - name: w
      spec:
        roleName: w
        replicas: 2
        minAvailable: 2
        podSpec: {schedulerName: kai-scheduler, containers: [{name: main, image: i}]}
)");
  }

  void CreateSet(const std::string& name) {
    const auto created = cluster_->client().Create(api::kPodCliqueSets, SetCalled(name));
    ASSERT_TRUE(created.ok()) << created.error().ToString();
  }

  // Pods of a set, with or without gates.
  int Pods(const std::string& set, bool gated) {
    int found = 0;
    for (const Value& pod : cluster_->List(api::kPods)) {
      found += kube::Label(pod, "grove.io/podgang") == set + "-0" &&
               pod["spec"]["schedulingGates"].empty() != gated;
    }
    return found;
  }

  // Whether the operator has done all it can for a set of two pods.
  bool HasGang(const std::string& set) {
    for (const Value& gang : cluster_->List(api::kPodGangs)) {
      if (kube::Name(gang) != set + "-0") continue;
      return gang["spec"]["podgroups"].At(0)["podReferences"].size() == 2;
    }
    return false;
  }

  // Polls, because nothing in the cluster changes with the condition.
  static bool Eventually(const std::function<bool()>& wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (!wanted()) {
      if (std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return true;
  }

  // Whether a process started by Run has logged this.
  bool Said(const std::string& text) {
    std::stringstream log;
    log << std::ifstream(folder_ / "run.log").rdbuf();
    return log.str().find(text) != std::string::npos;
  }

  std::vector<Value> Groups() { return cluster_->List(api::kPodGroups); }

  TemporaryFolder folder_;
  Process server_;
  std::unique_ptr<ClusterWatch> cluster_;
  std::unique_ptr<Process> operator_;
};

TEST_F(BackendProcess, KillingItLosesNothing) {
  auto backend = Run({"backend", "kai"});
  CreateSet("one");
  ASSERT_TRUE(cluster_->Wait([&] { return Pods("one", false) == 2; }));
  ASSERT_EQ(Groups().size(), 1u);
  const Value before = Groups().front();

  backend->Kill();
  CreateSet("two");
  ASSERT_TRUE(cluster_->Wait([&] { return HasGang("two") && Pods("two", true) == 2; }));
  EXPECT_EQ(Groups().size(), 1u);
  EXPECT_TRUE(HasGang("one"));

  backend = Run({"backend", "kai"});
  ASSERT_TRUE(cluster_->Wait([&] { return Pods("two", false) == 2; }));
  ASSERT_EQ(Groups().size(), 2u);
  for (const Value& group : Groups()) {
    if (kube::Uid(group) != kube::Uid(before)) continue;
    EXPECT_EQ(group, before);
  }

  operator_->Kill();
  operator_ = Run({"operator", "--without-backends"});
  CreateSet("three");
  EXPECT_TRUE(cluster_->Wait([&] { return Pods("three", false) == 2; }));
  EXPECT_EQ(Pods("one", false) + Pods("two", false), 4);
}

TEST_F(BackendProcess, ProfilesAreSwitchedOnInTheFile) {
  const std::string config = folder_ / "config.yaml";
  std::ofstream(config) << "scheduler: {profiles: [{name: kai-scheduler, enabled: false}]}\n";
  auto backend = Run({"backend", "kai", "--config", config});
  CreateSet("one");
  ASSERT_TRUE(cluster_->Wait([&] { return HasGang("one") && Pods("one", true) == 2; }));
  EXPECT_TRUE(Groups().empty());
  std::ofstream(config) << "scheduler: {profiles: [{name: kai-scheduler}]}\n";
  EXPECT_TRUE(cluster_->Wait([&] { return Pods("one", false) == 2; }));
  EXPECT_EQ(Groups().size(), 1u);
}

TEST_F(BackendProcess, TheFileSaysHowToLog) {
  const std::string config = folder_ / "config.yaml";
  std::ofstream(config) << "{logLevel: error, logFormat: json}\n";
  auto backend = Run({"backend", "kai", "--config", config});
  CreateSet("one");
  ASSERT_TRUE(cluster_->Wait([&] { return Pods("one", false) == 2; }));
  EXPECT_FALSE(Said(R"("level":"info")"));
  std::ofstream(config) << "{logLevel: debug, logFormat: json}\n";
  EXPECT_TRUE(Eventually([&] { return Said("took over the changed configuration"); }));
  CreateSet("two");
  EXPECT_TRUE(Eventually([&] { return Said(R"("level":"debug")"); }));
}

TEST_F(BackendProcess, TheOperatorServesItsWebhooks) {
  operator_->Kill();
  operator_ =
      Run({"operator", "--webhook-url", "https://127.0.0.1:0", "--lease-namespace", "default"});
  ASSERT_TRUE(cluster_->Wait([&] { return !cluster_->List(api::kValidatingWebhooks).empty(); }));
  const Value bad = *json::ParseYaml(
      "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {namespace: default, name: "
      "bad}, spec: {replicas: 1, template: {cliques: [{name: w, spec: {roleName: w, replicas: 1, "
      "minAvailable: 2, podSpec: {containers: [{name: c, image: i}]}}}]}}}");
  const auto refused = cluster_->client().Create(api::kPodCliqueSets, bad);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message().find("minAvailable must not be greater than replicas"),
            std::string::npos)
      << refused.error().message();
}

// What the file enables is admitted, and an invalid file changes nothing.
TEST_F(BackendProcess, TheWebhooksFollowTheFile) {
  operator_->Kill();
  const std::string config = folder_ / "config.yaml";
  std::ofstream(config) << "scheduler: {profiles: [{name: kai-scheduler, enabled: false}]}\n";
  operator_ = Run({"operator", "--webhook-url", "https://127.0.0.1:0", "--lease-namespace",
                   "default", "--config", config});
  ASSERT_TRUE(cluster_->Wait([&] { return !cluster_->List(api::kValidatingWebhooks).empty(); }));
  const auto admitted = [&] {
    const auto tried =
        cluster_->client().Create(api::kPodCliqueSets, SetCalled("tried"), {.dry_run = true});
    return tried.ok();
  };
  EXPECT_FALSE(admitted());
  std::ofstream(config) << "scheduler: {profiles: [{name: kai-scheduler}]}\n";
  EXPECT_TRUE(Eventually(admitted));
  std::ofstream(config) << "scheduler: {profiles: [{name: kai-scheduler, config: {nothing: 1}}]}\n";
  EXPECT_TRUE(Eventually([&] { return Said("config.nothing: unknown; known are"); }));
  EXPECT_TRUE(admitted());
}

// Only the operator may change a set's objects, whatever its user name is.
TEST_F(BackendProcess, TheAuthorizerKnowsItsOperator) {
  operator_->Kill();
  const std::string config = folder_ / "config.yaml";
  std::ofstream(config) << "authorizer: {enabled: true}\n";
  operator_ = Run({"operator", "--webhook-url", "https://127.0.0.1:0", "--lease-namespace",
                   "default", "--config", config});
  ASSERT_TRUE(cluster_->Wait([&] { return cluster_->List(api::kValidatingWebhooks).size() == 3; }));
  CreateSet("one");
  EXPECT_TRUE(cluster_->Wait([&] { return Pods("one", false) == 2; }));
}

// They annotate gangs that they restart, which belong to a set.
TEST_F(BackendProcess, TheAuthorizerKnowsBackendsOfTheirOwn) {
  operator_->Kill();
  const std::string config = folder_ / "config.yaml";
  std::ofstream(config) << "authorizer: {enabled: true}\n";
  operator_ = Run({"operator", "--without-backends", "--webhook-url", "https://127.0.0.1:0",
                   "--lease-namespace", "default", "--config", config});
  ASSERT_TRUE(cluster_->Wait([&] { return cluster_->List(api::kValidatingWebhooks).size() == 3; }));
  CreateSet("one");
  ASSERT_TRUE(cluster_->Wait([&] { return HasGang("one"); }));
  const Value mark = *json::ParseYaml("{metadata: {annotations: {example.com/attempt: '2'}}}");
  const auto marks = [&](const std::string& account) {
    ClusterWatch other(KubeconfigAs("system:serviceaccount:default:" + account), {});
    return other.client().Patch(api::kPodGangs, {"default", "one-0"}, kube::PatchType::kMerge,
                                mark);
  };
  const auto refused = marks("somebody");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("authorizer.webhooks.grove.io"), std::string::npos)
      << refused.error().message();
  for (const char* account : {"coppice-backend-yunikorn", "coppice-backends"}) {
    const auto marked = marks(account);
    EXPECT_TRUE(marked) << marked.error().message();
  }
}

// Each backend's entry in `doctor`, and the exit code.
struct Diagnosis {
  int code = -1;
  std::map<std::string, Value> backends;
};

TEST_F(BackendProcess, DoctorSaysWhatTheClusterServesAndWhoRunsThere) {
  const auto diagnose = [&] {
    Process doctor({"doctor", "-o", "json", "--kubeconfig", folder_ / "kubeconfig"},
                   folder_ / "doctor.log");
    const Value report = json::Parse(doctor.ReadAll()).value_or(Value());
    Diagnosis out;
    for (const Value& backend : report["backends"].Items()) {
      out.backends[backend["name"].ToString()] = backend;
    }
    out.code = doctor.Wait();
    return out;
  };
  Diagnosis alone = diagnose();
  EXPECT_EQ(alone.code, 1) << "no scheduler runs";
  EXPECT_FALSE(alone.backends["kai"]["works"].AsBool(true));
  EXPECT_THAT(alone.backends["kai"]["reason"].AsString(),
              testing::HasSubstr("no sign that scheduler"));
  EXPECT_THAT(alone.backends["volcano"]["reason"].AsString(), testing::HasSubstr("does not serve"));
  const auto scheduler = Run({"scheduler", "--leader-elect"});
  EXPECT_TRUE(Eventually([&] {
    Diagnosis with = diagnose();
    return with.code == 0 && with.backends["kai"]["works"].AsBool() &&
           !with.backends["volcano"]["works"].AsBool(true);
  }));
}

}  // namespace
}  // namespace coppice::cli
