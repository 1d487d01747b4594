#include "operator/tests/rig/rig_testing.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <vector>

#include "api/grove/crds.h"
#include "api/well_known.h"
#include "json/yaml/yaml.h"
#include "kube/config/kubeconfig.h"
#include "kube/object.h"
#include "kube/transport/http_client.h"
#include "operator/operator.h"
#include "operator/render.h"
#include "operator/runtime/metadata.h"
#include "server/api_server.h"

namespace coppice::operators {
namespace {

using json::Value;

constexpr char kBareNamespace[] = "bare";

[[noreturn]] void GiveUp(const base::Error& error) {
  fmt::print(stderr, "{}\n", error.ToString());
  std::exit(1);
}

std::unique_ptr<kube::Client> ConnectTo(const char* kubeconfig, kube::Executor& executor) {
  auto config = kube::LoadKubeconfig({.path = kubeconfig}, executor.clock());
  if (!config) GiveUp(config.error());
  auto client = kube::MakeHttpClient(*std::move(config), executor);
  if (!client) GiveUp(client.error());
  return *std::move(client);
}

// Earlier runs may have left it.
void Ensure(kube::Client& client, const kube::Resource& resource, const Value& object) {
  const auto created = client.Create(resource, object);
  if (!created && !created.Is(base::ErrorCode::kAlreadyExists)) GiveUp(created.error());
}

void AwaitServed(kube::Client& client) {
  if (!Rig::Until(
          [&] { return client.List(api::kPodGangs, {}) && client.List(api::kPodCliques, {}); })) {
    GiveUp(base::Unavailable("the CRDs are not served"));
  }
}

// A pod as the operator creates it for the set, in the bare loop's namespace, which contains
// `owner`.
Value BarePod(const Value& set, const Value& owner) {
  auto objects = RenderSet({}, set);
  if (!objects) GiveUp(objects.error());
  for (Value& object : *objects) {
    if (object["kind"].AsString() != "Pod") continue;
    object.Mutable("metadata").Set("namespace", kBareNamespace).Erase("ownerReferences");
    SetController(object, owner);
    object.Mutable("spec").Set("schedulingGates", Value::Array({Value::Object({{"name", "g"}})}));
    return std::move(object);
  }
  GiveUp(base::InvalidArgument("the set has no pods"));
}

bool IsOurs(const Value& pod) {
  return !kube::IsDeleting(pod) && kube::Namespace(pod) != kBareNamespace;
}

}  // namespace

// Binds ungated pods and makes them ready, as they change.
class Kubelets {
 public:
  Kubelets(kube::Client& client, kube::Manager& manager) : client_(client) {
    kube::Executor& executor = manager.runtime().executor;
    manager.runtime()
        .cache.InformerFor(api::kPods)
        .AddHandler([this, &executor](const kube::Change& change) {
          if (change.type == kube::ChangeType::kDeleted) return;
          if (kube::Namespace(change.object) == kBareNamespace) return;
          executor.Post([this, pod = change.object] { See(pod); });
        });
  }

 private:
  void See(const Value& pod) {
    if (kube::IsDeleting(pod)) {
      (void)client_.Delete(api::kPods, kube::KeyOf(pod), {.grace_period_seconds = 0});
    } else if (!pod["spec"]["schedulingGates"].empty()) {
      return;
    } else if (pod["spec"]["nodeName"].IsNull()) {
      Bind(kube::KeyOf(pod));
    } else if (!kube::ConditionIs(pod, "Ready", "True")) {
      MakeReady(kube::KeyOf(pod));
    }
  }

  void Bind(const api::ObjectKey& pod) {
    Value binding = Value::Object({{"apiVersion", "v1"}, {"kind", "Binding"}});
    binding.Mutable("metadata").Set("name", pod.name).Set("namespace", pod.ns);
    binding.Set("target", Value::Object({{"kind", "Node"}, {"name", "node"}}));
    (void)client_.Create(api::kPods, binding, {.subresource = "binding"});
  }

  void MakeReady(const api::ObjectKey& pod) {
    const auto condition = [](const char* type) {
      return Value::Object({{"type", type}, {"status", "True"}});
    };
    const Value status = Value::Object(
        {{"phase", "Running"},
         {"conditions", Value::Array({condition("PodScheduled"), condition("Ready")})}});
    (void)client_.Patch(api::kPods, pod, kube::PatchType::kMerge,
                        Value::Object({{"status", status}}), {.subresource = "status"});
  }

  kube::Client& client_;
};

// Counts pods as they change, so that frequent polling does not slow down what is measured.
class PodTally {
 public:
  explicit PodTally(kube::Manager& manager) {
    manager.runtime().cache.InformerFor(api::kPods).AddHandler([this](const kube::Change& change) {
      if (change.type != kube::ChangeType::kAdded) Count(change.old_object, -1);
      if (change.type != kube::ChangeType::kDeleted) Count(change.object, 1);
    });
  }

  size_t pods() const { return pods_; }
  size_t ungated() const { return ungated_; }
  size_t ready() const { return ready_; }

 private:
  void Count(const Value& pod, int change) {
    if (!IsOurs(pod)) return;
    pods_ += change;
    if (pod["spec"]["schedulingGates"].empty()) ungated_ += change;
    if (kube::ConditionIs(pod, "Ready", "True")) ready_ += change;
  }

  std::atomic<size_t> pods_ = 0;
  std::atomic<size_t> ungated_ = 0;
  std::atomic<size_t> ready_ = 0;
};

Rig::Rig() {
  if (const char* kubeconfig = std::getenv("COPPICE_BENCH_KUBECONFIG")) {
    client_ = ConnectTo(kubeconfig, executor_);
  } else {
    server_ = *server::ApiServer::Make({.clock = &executor_.clock(), .seed = 7});
    client_ = server_->NewClient(executor_);
    server_->StartControllers(executor_);
  }
  Prepare();
  others_ = kube::Manager::Make(*client_, executor_);
  kubelets_ = std::make_unique<Kubelets>(*client_, *others_);
  tally_ = std::make_unique<PodTally>(*others_);
  others_->Start();
}

void Rig::Prepare() {
  for (const Value& crd : api::grove::Crds()) {
    Ensure(*client_, api::kCustomResourceDefinitions, crd);
  }
  AwaitServed(*client_);
  Ensure(*client_, api::kNodes,
         *json::ParseYaml("{apiVersion: v1, kind: Node, metadata: {name: node}}"));
  Ensure(*client_, api::kNamespaces,
         *json::ParseYaml(fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}",
                                      kBareNamespace)));
}

double Rig::BareRate(const Value& set, int count, int threads) {
  Ensure(*client_, api::kConfigMaps, kube::NewObject(api::kConfigMaps, kBareNamespace, "owner"));
  const auto owner = client_->Get(api::kConfigMaps, {kBareNamespace, "owner"});
  if (!owner) GiveUp(owner.error());
  const Value pod = BarePod(set, *owner);
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> loops;
  for (int thread = 0; thread < threads; ++thread) {
    loops.emplace_back([&] {
      for (int i = 0; i < count / threads; ++i) (void)client_->Create(api::kPods, pod);
    });
  }
  for (std::thread& loop : loops) loop.join();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  (void)client_->DeleteCollection(api::kPods, {.ns = kBareNamespace}, {.grace_period_seconds = 0});
  return count / seconds.count();
}

void Rig::Start() {
  counting_ = std::make_unique<kube::CountingClient>(*client_);
  manager_ = kube::Manager::Make(*counting_, executor_);
  Config config;
  config.backends.profiles = {{.name = "default-scheduler", .backend = "default"}};
  if (const base::Status added = AddToManager(*manager_, config); !added) GiveUp(added.error());
  manager_->Start();
}

Rig::~Rig() {
  if (manager_) manager_->Stop();
  if (others_) others_->Stop();
  executor_.Stop();
}

size_t Rig::Pods() const { return tally_->pods(); }
size_t Rig::UngatedPods() const { return tally_->ungated(); }
size_t Rig::ReadyPods() const { return tally_->ready(); }

void Rig::Rest() const {
  for (int64_t before = -1; before != counting_->Writes();) {
    before = counting_->Writes();
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  }
}

}  // namespace coppice::operators
