#include "backends/tests/world_testing.h"

#include <iostream>

#include "backends/gangs/gang_builder.h"
#include "backends/model/labels.h"
#include "base/check.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "tests/crds/crds.h"

namespace coppice::backends {
namespace {

using json::Value;

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

api::Resource ResourceOf(const Value& object) {
  for (const api::Resource* resource :
       {&api::kPods, &api::kNodes, &api::kPodGangs, &api::kPodCliqueSets, &api::kPodCliques,
        &api::kNamespaces, &api::kClusterTopologyBindings, &api::kQueues, &api::kPriorityClasses,
        &api::kPodCliqueScalingGroups, &api::kPodGroups, &api::kTopologies, &api::kConfigMaps}) {
    if (resource->ApiVersion() == object["apiVersion"].AsString() &&
        resource->kind == object["kind"].AsString()) {
      return *resource;
    }
  }
  // The kinds that tests create have regular plurals.
  const std::string api_version = object["apiVersion"].ToString();
  const size_t slash = api_version.find('/');
  std::string plural = object["kind"].ToString() + "s";
  for (char& c : plural) c = static_cast<char>(std::tolower(c));
  return {api_version.substr(0, slash), api_version.substr(slash + 1), plural,
          object["kind"].ToString(), !kube::Namespace(object).empty()};
}

}  // namespace

class CountingClient final : public kube::Client {
 public:
  explicit CountingClient(std::unique_ptr<kube::Client> inner) : inner_(std::move(inner)) {}

  base::Result<Value> Get(const kube::Resource& resource, const kube::ObjectKey& key,
                          const kube::GetOptions& options) override {
    return inner_->Get(resource, key, options);
  }
  base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                      const kube::ListOptions& options) override {
    return inner_->List(resource, options);
  }
  base::Result<std::unique_ptr<kube::Watch>> StartWatch(const kube::Resource& resource,
                                                        const kube::WatchOptions& options,
                                                        kube::WatchSink& sink) override {
    return inner_->StartWatch(resource, options, sink);
  }
  base::Result<Value> Create(const kube::Resource& resource, const Value& object,
                             const kube::WriteOptions& options) override {
    if (!options.dry_run && resource.plural != "events") ++writes;
    return inner_->Create(resource, object, options);
  }
  base::Result<Value> Update(const kube::Resource& resource, const Value& object,
                             const kube::WriteOptions& options) override {
    ++writes;
    return inner_->Update(resource, object, options);
  }
  base::Result<Value> Patch(const kube::Resource& resource, const kube::ObjectKey& key,
                            kube::PatchType type, const Value& patch,
                            const kube::WriteOptions& options) override {
    if (!options.dry_run && resource.plural != "events") ++writes;
    return inner_->Patch(resource, key, type, patch, options);
  }
  base::Status Delete(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::DeleteOptions& options) override {
    ++writes;
    return inner_->Delete(resource, key, options);
  }
  base::Status DeleteCollection(const kube::Resource& resource, const kube::ListOptions& which,
                                const kube::DeleteOptions& options) override {
    ++writes;
    return inner_->DeleteCollection(resource, which, options);
  }
  base::Result<Value> GetPath(std::string_view path) override { return inner_->GetPath(path); }

  int64_t writes = 0;

 private:
  std::unique_ptr<kube::Client> inner_;
};

Value Yaml(const std::string& text) { return Must(json::ParseYaml(text)); }
std::vector<Value> YamlDocuments(const std::string& text) {
  return Must(json::ParseYamlDocuments(text));
}

World::World(const Options& options) : stepper(options.seed), options_(options) {
  server = Must(server::ApiServer::Make(
      {.clock = &stepper.clock(), .kubernetes_version = options.kubernetes_version}));
  if (options.admission) server->AddAdmission(options.admission);
  for (const std::string& project : options.projects) {
    for (const Value& crd : test_crds::Of(project)) Must(server->InstallCrd(crd));
  }
  server->StartControllers(stepper);
  client = server->NewClient(stepper);
  counted = std::make_unique<CountingClient>(server->NewClient(stepper));
  Create(Yaml("{apiVersion: v1, kind: Namespace, metadata: {name: ai}}"));
  Create(
      Yaml("{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: gang-high}, "
           "value: 1000}"));
  Start();
}

void World::Start() {
  if (manager) manager->Stop();
  backends.reset();
  manager = kube::Manager::Make(*counted, stepper);
  const BackendConfig config =
      options_.config.empty() ? AllBackends() : Must(ParseConfig(Yaml(options_.config)));
  backends = Must(MakeBackends(*manager, config));
  Must(AddToManager(*manager, *backends, {.only = options_.only}));
  manager->Start();
  Settle();
}

World::~World() {
  manager->Stop();
  stepper.RunUntilIdle();
}

void World::Settle() { stepper.RunFor(std::chrono::seconds(1)); }

Value World::Create(const Value& object) {
  return Must(client->Create(ResourceOf(object), object));
}

Value World::Get(const api::Resource& resource, const std::string& ns, const std::string& name) {
  return Must(client->Get(resource, {ns, name}));
}

bool World::Exists(const api::Resource& resource, const std::string& ns, const std::string& name) {
  return client->Get(resource, {ns, name}).ok();
}

std::vector<Value> World::List(const api::Resource& resource) {
  return Must(client->List(resource)).items;
}

void World::SetStatus(const api::Resource& resource, const std::string& ns, const std::string& name,
                      const Value& status) {
  Must(client->Patch(resource, {ns, name}, kube::PatchType::kMerge,
                     Value::Object({{"status", status}}), {.subresource = "status"}));
}

void World::Patch(const api::Resource& resource, const std::string& ns, const std::string& name,
                  const Value& merge) {
  Must(client->Patch(resource, {ns, name}, kube::PatchType::kMerge, merge));
}

Value World::CreateGang(const Value& gang) {
  Value created = gang;
  created.Mutable("metadata").Erase("uid");
  created = Create(created);
  SetStatus(api::kPodGangs, kube::KeyOf(created).ns, kube::KeyOf(created).name,
            Yaml("{phase: Pending, conditions: [{type: Initialized, status: 'False', reason: "
                 "PodGangPodsCreationPending, message: '', lastTransitionTime: "
                 "'2026-01-01T00:00:00Z'}]}"));
  return created;
}

void World::Initialize(const std::string& ns, const std::string& gang) {
  Value conditions = Value::Array();
  const Value stored = Get(api::kPodGangs, ns, gang);
  for (const Value& condition : stored["status"]["conditions"].Items()) {
    if (condition["type"].AsString() != "Initialized") conditions.Append(condition);
  }
  conditions.Append(
      Yaml("{type: Initialized, status: 'True', reason: PodGangPodsCreated, message: "
           "'', lastTransitionTime: '2026-01-01T00:00:00Z'}"));
  SetStatus(api::kPodGangs, ns, gang, Value::Object({{"conditions", conditions}}));
}

Value World::CreatePod(const std::string& ns, const std::string& gang, const std::string& group,
                       int index, const std::string& name) {
  Value pod = kube::NewObject(api::kPods, ns, name);
  Value& labels = pod.Mutable("metadata").Mutable("labels");
  labels.Set(labels::kPodGang, gang);
  labels.Set(labels::kPodClique, group);
  labels.Set(labels::kPodIndex, std::to_string(index));
  pod.Set("spec", Yaml("{containers: [{name: main, image: w}]}"));
  const Value stored = Get(api::kPodGangs, ns, gang);
  const Selection selection = Must(backends->SelectForGang(stored));
  Value clique = kube::NewObject(api::kPodCliques, ns, group);
  const Value& owner = kube::ControllerOwner(stored);
  Value set = kube::NewObject(api::kPodCliqueSets, ns, "none");
  if (!owner.IsNull()) set = Get(api::kPodCliqueSets, ns, owner["name"].ToString());
  if (owner.IsNull()) {
    set.Set(
        "spec",
        Value::Object(
            {{"template",
              Value::Object(
                  {{"cliques",
                    Value::Array({Value::Object(
                        {{"spec", Value::Object(
                                      {{"podSpec",
                                        Value::Object({{"schedulerName",
                                                        selection.scheduler_name}})}})}})})}})}}));
  }
  base::Status prepared = backends->PreparePod(set, clique, index, pod);
  if (prepared.Is(base::ErrorCode::kUnavailable)) {  // Retries later, like the operator.
    RunFor(std::chrono::seconds(5));
    prepared = backends->PreparePod(set, clique, index, pod);
  }
  Must(prepared);
  return Create(pod);
}

void World::BindAndRun(const std::string& ns, const std::string& pod, const std::string& node) {
  const Value binding =
      Value::Object({{"apiVersion", "v1"},
                     {"kind", "Binding"},
                     {"metadata", Value::Object({{"name", pod}, {"namespace", ns}})},
                     {"target", Value::Object({{"kind", "Node"}, {"name", node}})}});
  Must(client->Create(api::kPods, binding, {.subresource = "binding"}));
  SetStatus(api::kPods, ns, pod,
            Yaml("{phase: Running, conditions: [{type: Ready, status: 'True'}, {type: "
                 "PodScheduled, status: 'True'}]}"));
}

int64_t World::writes() const { return counted->writes; }

}  // namespace coppice::backends
