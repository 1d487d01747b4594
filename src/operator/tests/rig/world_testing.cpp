#include "operator/tests/rig/world_testing.h"

#include <fmt/format.h>

#include <iostream>

#include "api/grove/crds.h"
#include "api/well_known.h"
#include "backends/model/retry.h"
#include "base/check.h"
#include "json/yaml/yaml.h"
#include "kube/controller/reconciler.h"
#include "kube/object.h"
#include "operator/operator.h"
#include "operator/tests/rig/admission_plugin_testing.h"
#include "operator/tests/rig/resources_testing.h"
#include "server/core/core.h"

namespace coppice::operators {
namespace {

const api::Resource kPolicies{"admissionregistration.k8s.io", "v1", "validatingadmissionpolicies",
                              "ValidatingAdmissionPolicy", false};
const api::Resource kPolicyBindings{"admissionregistration.k8s.io", "v1",
                                    "validatingadmissionpolicybindings",
                                    "ValidatingAdmissionPolicyBinding", false};

const std::string kNamespace(World::kNamespace);
constexpr char kNode[] = "node-1";

template <typename T>
T Must(base::Result<T> result) {
  if (!result) std::cerr << result.error().ToString() << std::endl;
  COPPICE_CHECK(result.ok());
  return *std::move(result);
}

void Must(const base::Status& status) {
  if (!status) std::cerr << status.error().ToString() << std::endl;
  COPPICE_CHECK(status.ok());
}

json::Value ConditionOf(std::string_view type, bool value, base::Time now) {
  return json::Value::Object({{"type", type},
                              {"status", value ? "True" : "False"},
                              {"lastTransitionTime", base::FormatRfc3339(now)}});
}

}  // namespace

json::Value RunningStatus(const json::Value& pod, bool ready, base::Time now) {
  json::Value containers = json::Value::Array();
  for (const json::Value& container : pod["spec"]["containers"].Items()) {
    containers.Append(json::Value::Object(
        {{"name", container["name"]},
         {"image", container["image"]},
         {"imageID", ""},
         {"ready", ready},
         {"started", true},
         {"restartCount", 0},
         {"state",
          json::Value::Object(
              {{"running", json::Value::Object({{"startedAt", base::FormatRfc3339(now)}})}})}}));
  }
  return json::Value::Object(
      {{"phase", "Running"},
       {"conditions", json::Value::Array({ConditionOf("PodScheduled", true, now),
                                          ConditionOf("Ready", ready, now)})},
       {"containerStatuses", containers}});
}

// Does the work of scheduler, kubelet and token controller immediately.
class World::Kubelet {
 public:
  Kubelet(World& world, server::ApiServer& server)
      : client_(server.NewClient(world.stepper)),
        manager_(kube::Manager::Make(*client_, world.stepper)) {
    kube::ControllerSpec pods{.name = "kubelet"};
    manager_->AddController(pods.For(api::kPods), std::make_unique<PodReconciler>(world, *this));
    kube::ControllerSpec secrets{.name = "tokens"};
    manager_->AddController(secrets.For(api::kSecrets), std::make_unique<TokenReconciler>(*this));
    manager_->Start();
  }
  ~Kubelet() { manager_->Stop(); }

 private:
  class PodReconciler final : public kube::Reconciler {
   public:
    PodReconciler(World& world, Kubelet& kubelet) : world_(world), kubelet_(kubelet) {}

    base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
      const auto pod = kubelet_.manager_->runtime().cache.InformerFor(api::kPods).Get(key);
      if (!pod) return kube::Requeue::Done();
      const bool bound = !(*pod)["spec"]["nodeName"].AsString().empty();
      if (kube::IsDeleting(*pod)) return Remove(key, *pod);
      if (!bound) {
        if (!world_.bind || !(*pod)["spec"]["schedulingGates"].empty()) {
          return kube::Requeue::Done();
        }
        return Bind(*pod);
      }
      if ((*pod)["status"]["phase"].AsString() != "Pending") return kube::Requeue::Done();
      return Run(key, *pod);
    }

   private:
    base::Result<kube::Requeue> Remove(const api::ObjectKey& key, const json::Value& pod) {
      const base::Status removed = kubelet_.client_->Delete(
          api::kPods, key, {.uid = std::string(kube::Uid(pod)), .grace_period_seconds = 0});
      if (!removed && !removed.Is(base::ErrorCode::kNotFound)) return removed.error();
      return kube::Requeue::Done();
    }

    base::Result<kube::Requeue> Bind(const json::Value& pod) {
      json::Value binding = json::Value::Object({{"apiVersion", "v1"}, {"kind", "Binding"}});
      binding.Set("metadata", json::Value::Object({{"name", kube::Name(pod)},
                                                   {"namespace", kube::Namespace(pod)},
                                                   {"uid", kube::Uid(pod)}}));
      binding.Set("target", json::Value::Object({{"kind", "Node"}, {"name", kNode}}));
      const auto bound = kubelet_.client_->Create(api::kPods, binding, {.subresource = "binding"});
      if (!bound && !bound.Is(base::ErrorCode::kNotFound) &&
          !bound.Is(base::ErrorCode::kConflict)) {
        return bound.error();
      }
      return kube::Requeue::Done();
    }

    base::Result<kube::Requeue> Run(const api::ObjectKey& key, const json::Value& pod) {
      const json::Value patch =
          json::Value::Object({{"status", RunningStatus(pod, true, world_.stepper.Now())}});
      const auto running = kubelet_.client_->Patch(api::kPods, key, kube::PatchType::kMerge, patch,
                                                   {.subresource = "status"});
      if (!running && !running.Is(base::ErrorCode::kNotFound)) return running.error();
      return kube::Requeue::Done();
    }

    World& world_;
    Kubelet& kubelet_;
  };

  class TokenReconciler final : public kube::Reconciler {
   public:
    explicit TokenReconciler(Kubelet& kubelet) : kubelet_(kubelet) {}

    base::Result<kube::Requeue> Reconcile(const api::ObjectKey& key) override {
      const auto secret = kubelet_.manager_->runtime().cache.InformerFor(api::kSecrets).Get(key);
      if (!secret || (*secret)["type"].AsString() != "kubernetes.io/service-account-token" ||
          (*secret)["data"].Has("token")) {
        return kube::Requeue::Done();
      }
      const json::Value token = json::Value::Object({{"token", "dG9rZW4="}});
      const auto patched = kubelet_.client_->Patch(api::kSecrets, key, kube::PatchType::kMerge,
                                                   json::Value::Object({{"data", token}}));
      if (!patched && !patched.Is(base::ErrorCode::kNotFound)) return patched.error();
      return kube::Requeue::Done();
    }

   private:
    Kubelet& kubelet_;
  };

  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<kube::Manager> manager_;
};

World::World(Options options)
    : stepper(options.seed),
      server(Must(server::ApiServer::Make({.clock = &stepper.clock(),
                                           .seed = options.seed + 1,
                                           .disabled_admission = options.disabled_admission}))),
      client(server->NewClient(stepper)),
      bind(options.bind),
      config_(std::move(options.config)),
      faults_(options.faults),
      next_seed_(options.seed) {
  server->AddAdmission(std::make_shared<AdmissionPlugin>([this] { return admission_.get(); }));
  Install(api::grove::Crds());
  Install(options.crds);
  server->StartControllers(stepper);
  Create(fmt::format("{{apiVersion: v1, kind: Namespace, metadata: {{name: {}}}}}", kNamespace));
  Create(fmt::format("{{apiVersion: v1, kind: Node, metadata: {{name: {}}}}}", kNode));
  kubelet_ = std::make_unique<Kubelet>(*this, *server);
  Restart();
}

World::~World() {
  manager_->Stop();
  kubelet_.reset();
}

void World::Install(const std::vector<json::Value>& crds) {
  for (const json::Value& crd : crds) Must(server->InstallCrd(crd));
}

void World::Restart() {
  if (manager_) manager_->Stop();
  admission_.reset();
  manager_.reset();
  operator_client_ =
      operator_account.empty()
          ? server->NewClient(stepper)
          : server->NewClient(stepper, server::User::ServiceAccount(kNamespace, operator_account));
  faulty_client_ =
      std::make_unique<kube::FaultyClient>(*operator_client_, stepper, faults_, ++next_seed_);
  manager_ = kube::Manager::Make(*faulty_client_, stepper, {.retry = backends::kRetry});
  std::shared_ptr<backends::Backends> backends =
      Must(backends::MakeBackends(*manager_, config_.backends));
  Must(AddToManager(*manager_, config_, backends));
  Must(backends::AddToManager(*manager_, *backends));
  admission_ = std::make_unique<webhooks::Admission>(config_, backends, *client);
  manager_->Start();
  stepper.RunFor(std::chrono::seconds(1));
}

void World::RestartWith(backends::BackendConfig backends) {
  config_.backends = std::move(backends);
  Restart();
}

void World::RestartAfter(const std::function<void(Config&)>& change) {
  change(config_);
  Restart();
}

void World::EndFaults() {
  faults_ = {};
  faulty_client_->SetFaults({});
}

bool World::Settle(base::Duration quiet) {
  const base::Time end = stepper.Now() + std::chrono::hours(1);
  while (stepper.Now() < end) {
    const int64_t before = writes();
    stepper.RunFor(quiet);
    if (writes() == before) return true;
  }
  return false;
}

int64_t World::writes() const { return server->core().store().revision(); }

base::Result<json::Value> World::TryCreate(json::Value object) {
  const api::Resource resource = ResourceOf(object);
  if (resource.namespaced && kube::Namespace(object).empty()) {
    object.Mutable("metadata").Set("namespace", kNamespace);
  }
  return client->Create(resource, object);
}

json::Value World::Create(const std::string& yaml) {
  return Must(TryCreate(Must(json::ParseYaml(yaml))));
}

void World::Refuse(const std::string& rule, const std::string& expression) {
  Must(client->Create(
      kPolicies,
      Must(json::ParseYaml(fmt::format(
          "{{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, "
          "metadata: {{name: refuse}}, spec: {{matchConstraints: {{resourceRules: [{}]}}, "
          "validations: [{{expression: \"{}\"}}]}}}}",
          rule, expression)))));
  Must(client->Create(
      kPolicyBindings,
      Must(json::ParseYaml(
          "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicyBinding, "
          "metadata: {name: refuse}, spec: {policyName: refuse, validationActions: [Deny]}}"))));
}

void World::RefuseNothing() { COPPICE_CHECK(client->Delete(kPolicyBindings, {"", "refuse"})); }

json::Value World::Get(const api::Resource& resource, const std::string& name) {
  return Must(client->Get(resource, {resource.namespaced ? kNamespace : "", name}));
}

bool World::Exists(const api::Resource& resource, const std::string& name) {
  return client->Get(resource, {resource.namespaced ? kNamespace : "", name}).ok();
}

std::vector<json::Value> World::List(const api::Resource& resource, const std::string& selector) {
  kube::ListOptions options;
  options.ns = resource.namespaced ? kNamespace : "";
  options.label_selector = selector;
  return Must(client->List(resource, options)).items;
}

std::vector<std::string> World::Names(const api::Resource& resource, const std::string& selector) {
  std::vector<std::string> names;
  for (const json::Value& object : List(resource, selector)) names.emplace_back(kube::Name(object));
  return names;
}

json::Value World::MergePatch(const api::Resource& resource, const std::string& name,
                              const std::string& yaml) {
  return Must(client->Patch(resource, {kNamespace, name}, kube::PatchType::kMerge,
                            Must(json::ParseYaml(yaml))));
}

void World::Scale(const api::Resource& resource, const std::string& name, int replicas) {
  const json::Value patch =
      json::Value::Object({{"spec", json::Value::Object({{"replicas", replicas}})}});
  Must(client->Patch(resource, {kNamespace, name}, kube::PatchType::kMerge, patch,
                     {.subresource = "scale"}));
}

void World::Delete(const api::Resource& resource, const std::string& name) {
  Must(client->Delete(resource, {kNamespace, name}));
}

json::Value World::PodOf(const std::string& hostname) {
  for (const json::Value& pod : List(api::kPods)) {
    if (pod["spec"]["hostname"].AsString() == hostname && !kube::IsDeleting(pod)) return pod;
  }
  return {};
}

void World::SetReady(const std::string& hostname, bool ready) {
  const json::Value pod = PodOf(hostname);
  COPPICE_CHECK(!pod.IsNull());
  Must(client->Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kMerge,
                     json::Value::Object({{"status", RunningStatus(pod, ready, stepper.Now())}}),
                     {.subresource = "status"}));
}

}  // namespace coppice::operators
