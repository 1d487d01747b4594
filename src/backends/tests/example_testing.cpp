#include "backends/tests/example_testing.h"

#include <gtest/gtest.h>

#include "backends/model/labels.h"
#include "backends/volcano/volcano.h"
#include "json/patch/patch.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

const char kNodes[] = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {topology.kubernetes.io/zone: z1, topology.kubernetes.io/rack: r1, kubernetes.io/hostname: n1}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {topology.kubernetes.io/zone: z1, topology.kubernetes.io/rack: r1, kubernetes.io/hostname: n2}}
)";

const api::Resource kVolcanoQueues{"scheduling.volcano.sh", "v1beta1", "queues", "Queue", false};

}  // namespace

void OpenQueue(World& world, const std::string& name) {
  world.Create(Yaml(
      "{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: " + name + "}}"));
  world.SetStatus(kVolcanoQueues, "", name, Yaml("{state: Open}"));
  world.Settle();
}

Example::Example(World& world, const std::string& scheduler, const Value& gang_changes)
    : world_(world), scheduler_(scheduler) {
  for (const Value& node : YamlDocuments(kNodes)) world_.Create(node);
  const Value binding = world_.Create(ExampleBinding());
  world_.Settle();
  // Volcano's topology exists; otherwise its gangs would wait for it.
  if (world_.client->List(volcano::kHyperNodes)) (void)world_.backends->SyncTopology(binding);
  set_ = world_.Create(ExampleSet(scheduler));
  world_.Settle();
  Value gang = ExampleGang(scheduler);
  if (gang_changes.IsObject()) gang = json::ApplyMergePatch(gang, gang_changes);
  gang_ = world_.CreateGang(OwnedBySet(std::move(gang)));
  world_.Settle();
}

Value Example::OwnedBySet(Value gang) const {
  Value& metadata = gang.Mutable("metadata");
  metadata.Set("ownerReferences", Value::Array({kube::MakeControllerReference(set_)}));
  for (const auto& member : set_["metadata"]["labels"].Members()) {
    metadata.Mutable("labels").SetDefault(std::string(member.name()), member.value);
  }
  return gang;
}

Value Example::Gang() { return world_.Get(api::kPodGangs, "ai", "llm-0"); }

Value Example::Condition(const std::string& type) { return Value(kube::Condition(Gang(), type)); }

std::string Example::Synced() {
  const Value synced = Condition("BackendSynced");
  const std::string message = synced["message"].ToString();
  return synced["status"].ToString() + " " + synced["reason"].ToString() +
         (message.empty() ? "" : ": " + message);
}

void Example::CreatePodsOf(const Value& gang) {
  const std::string name(kube::Name(gang));
  for (const Value& group : gang["spec"]["podgroups"].Items()) {
    int index = 0;
    for (const Value& reference : group["podReferences"].Items()) {
      world_.CreatePod("ai", name, group["name"].ToString(), index++, reference["name"].ToString());
    }
  }
  world_.Initialize("ai", name);
  world_.Settle();
}

void Example::CreatePods() { CreatePodsOf(gang_); }

Value Example::CreateScaledGang() {
  const Value gang = world_.CreateGang(OwnedBySet(ExampleScaledGang(scheduler_)));
  world_.Settle();
  CreatePodsOf(gang);
  return gang;
}

int Example::Release() {
  int released = 0;
  for (const Value& pod : world_.List(api::kPods)) {
    if (pod["spec"]["schedulingGates"].empty()) continue;
    const ReleaseDecision decision = world_.backends->CheckRelease(pod);
    if (!decision.release || decision.patch.empty()) continue;
    const auto patched =
        world_.client->Patch(api::kPods, kube::KeyOf(pod), kube::PatchType::kJson, decision.patch);
    EXPECT_TRUE(patched.ok()) << patched.error().ToString();
    ++released;
  }
  world_.Settle();
  return released;
}

void Example::BindAll() {
  for (const Value& pod : world_.List(api::kPods)) {
    if (!pod["spec"]["schedulingGates"].empty() || !pod["spec"]["nodeName"].AsString().empty()) {
      continue;
    }
    world_.BindAndRun("ai", std::string(kube::Name(pod)),
                      kube::Label(pod, labels::kPodClique) == "llm-0-fe" ? "n1" : "n2");
  }
  world_.Settle();
}

}  // namespace coppice::backends
