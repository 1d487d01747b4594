// Applies the manifests of deploy/ to the embedded server and starts every component with the
// rights of its own service account. Whatever is Forbidden fails the test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "api/well_known.h"
#include "json/yaml.h"
#include "kube/intercepted_client.h"
#include "kube/object.h"
#include "kube/readiness.h"
#include "kube/thread_executor.h"
#include "kube/transport/http_client.h"
#include "kube/transport/kubeconfig.h"
#include "server/http_front.h"
#include "sim/components.h"
#include "sim/shorthand.h"
#include "sim/stack.h"
#include "source_dir.h"

namespace coppice {
namespace {

using json::Value;
using namespace std::chrono_literals;

constexpr std::string_view kNamespace = "coppice-system";

std::vector<Value> ReadManifests(const std::string& name) {
  std::ifstream file(std::string(COPPICE_SOURCE_DIR "/deploy/manifests/") + name);
  std::stringstream text;
  text << file.rdbuf();
  return json::ParseYamlDocuments(text.str()).value_or(std::vector<Value>());
}

// Notes every call that was Forbidden.
class Watchman final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

  std::set<std::string> Forbidden() {
    std::lock_guard lock(mutex_);
    return forbidden_;
  }

 protected:
  base::Status After(const kube::Call& call, const base::Status& outcome) override {
    if (outcome.Is(base::ErrorCode::kForbidden)) {
      std::lock_guard lock(mutex_);
      forbidden_.insert(fmt::format("{} {}", kube::ToString(call.verb), call.What()));
    }
    return outcome;
  }

 private:
  std::mutex mutex_;  // Guards forbidden_.
  std::set<std::string> forbidden_;
};

// One Deployment of the manifests, run in this process under its service account.
struct Process {
  std::string name;
  std::unique_ptr<kube::Client> connection;
  std::unique_ptr<Watchman> watchman;
  std::unique_ptr<kube::ReadinessClient> readiness;
  std::unique_ptr<kube::Manager> manager;
};

class Rights : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    sim::StackOptions options;
    options.shape.pools = {{.count = 2, .gpus = 4}};
    options.components = *sim::ParseComponents("nodes,workloads,admission");
    stack_ = *sim::Stack::Make(executor_, std::move(options));
    front_ = *server::HttpFront::Start(stack_->server(), executor_, {});
    ASSERT_TRUE(stack_->Start());
  }

  void TearDown() override {
    for (Process& process : processes_) {
      process.readiness->Stop();
      process.manager->Stop();
    }
    stack_->Stop();
    front_->Stop();
  }

  kube::Client& admin() { return stack_->client(); }

  void Apply(const Value& object) {
    const auto resource =
        api::FindResource(object["kind"].AsString(), object["apiVersion"].AsString());
    ASSERT_TRUE(resource) << object["kind"].AsString();
    const auto created = admin().Create(*resource, object);
    ASSERT_TRUE(created || created.Is(base::ErrorCode::kAlreadyExists))
        << created.error().message();
  }

  std::string TokenOf(const std::string& account) {
    const Value request = *json::ParseYaml(
        fmt::format("{{apiVersion: authentication.k8s.io/v1, kind: TokenRequest, metadata: {{name: "
                    "{}, namespace: {}}}, spec: {{}}}}",
                    account, kNamespace));
    const auto token = admin().Create(api::kServiceAccounts, request, {.subresource = "token"});
    EXPECT_TRUE(token) << (token ? "" : token.error().message());
    return token ? (*token)["status"]["token"].ToString() : "";
  }

  std::unique_ptr<kube::Client> ConnectAs(const std::string& account) {
    Value kubeconfig = *json::ParseYaml(*front_->AdminKubeconfig());
    Value& user = kubeconfig.Mutable("users").MutableAt(0);
    user.Set("user", Value::Object({{"token", TokenOf(account)}}));
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("coppice-rights-{}", getpid()))
            .string();
    std::ofstream(path) << json::WriteYaml(kubeconfig);
    auto config = kube::LoadClusterConfig({.path = path}, executor_.clock());
    std::filesystem::remove(path);
    return *kube::MakeHttpClient(*std::move(config), executor_);
  }

  // What the Deployment's arguments say, without flags.
  static std::vector<std::string> ComponentsOf(const Value& deployment) {
    const Value& args = deployment["spec"]["template"]["spec"]["containers"].At(0)["args"];
    std::vector<std::string> names;
    for (const Value& arg : args.Items()) {
      if (!arg.AsString().starts_with("-") && arg.AsString() != "run")
        names.push_back(arg.ToString());
    }
    return names;
  }

  void Run(const Value& deployment) {
    Process process{.name = std::string(kube::Name(deployment))};
    process.connection =
        ConnectAs(deployment["spec"]["template"]["spec"]["serviceAccountName"].ToString());
    process.watchman = std::make_unique<Watchman>(*process.connection);
    process.readiness = std::make_unique<kube::ReadinessClient>(
        *process.watchman, executor_,
        kube::ReadinessClient::Options{.ns = std::string(kNamespace), .trial_after = 10ms});
    process.readiness->Start();
    process.manager = kube::Manager::Make(*process.readiness, executor_);
    sim::ComponentContext context{.manager = *process.manager,
                                  .operator_config = sim::DefaultOperatorConfig(),
                                  .simulated_gpus = true};
    const base::Status added = sim::AddComponents(ComponentsOf(deployment), context);
    ASSERT_TRUE(added) << process.name << ": " << added.error().message();
    process.manager->Start();
    processes_.push_back(std::move(process));
  }

  std::string Forbidden() {
    std::string all;
    for (Process& process : processes_) {
      for (const std::string& call : process.watchman->Forbidden()) {
        all += fmt::format("{}: {}\n", process.name, call);
      }
    }
    return all;
  }

  size_t RunningPods() {
    return admin()
        .List(api::kPods, {.ns = "default", .field_selector = "status.phase=Running"})
        ->items.size();
  }

  bool WaitForRunning(size_t pods) {
    for (int i = 0; i < 300 && Forbidden().empty(); ++i) {
      if (RunningPods() == pods) return true;
      std::this_thread::sleep_for(100ms);
    }
    return RunningPods() == pods;
  }

  kube::ThreadExecutor executor_;
  std::unique_ptr<sim::Stack> stack_;
  std::unique_ptr<server::HttpFront> front_;
  std::vector<Process> processes_;
};

constexpr std::string_view kWork = R"(
queues: [{name: top}, {name: lender, parent: top, gpus: 8}, {name: borrower, parent: top, gpus: 0}]
groups: [{name: g, queue: borrower, spec: {minMember: 2}}]
pods:
- {name: gang, count: 2, gpus: 1, queue: borrower, group: g}
- {name: part, count: 2, queue: borrower, annotations: {gpu-fraction: "0.5"}}
)";

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

TEST_P(Rights, AreWhatTheComponentsNeed) {
  const std::vector<Value> manifests = ReadManifests(GetParam());
  ASSERT_FALSE(manifests.empty());
  Apply(kube::NewObject(api::kNamespaces, "", kNamespace));
  for (const Value& object : manifests) ASSERT_NO_FATAL_FAILURE(Apply(object));
  for (const Value& object : manifests) {
    if (object["kind"].AsString() != "Deployment") continue;
    ASSERT_NO_FATAL_FAILURE(Run(object));
  }
  ASSERT_FALSE(processes_.empty());
  const std::vector<Value> work = *sim::ExpandObjects(*json::ParseYaml(kWork));
  for (const Value& object : work) Apply(object);
  EXPECT_TRUE(WaitForRunning(4)) << RunningPods() << " pods run\n" << Forbidden();
  Apply(*json::ParseYaml(kSet));
  EXPECT_TRUE(WaitForRunning(7)) << RunningPods() << " pods run\n" << Forbidden();
  ASSERT_TRUE(admin().Delete(api::kPodCliqueSets, {"default", "set"}));
  EXPECT_TRUE(WaitForRunning(4)) << RunningPods() << " pods run\n" << Forbidden();
  for (Process& process : processes_) {
    EXPECT_TRUE(process.readiness->Ready()) << process.name;
  }
  EXPECT_EQ(Forbidden(), "");
}

INSTANTIATE_TEST_SUITE_P(Manifests, Rights, ::testing::Values("separate.yaml", "one.yaml"),
                         [](const auto& form) {
                           return form.param.substr(0, form.param.find('.'));
                         });

}  // namespace
}  // namespace coppice
