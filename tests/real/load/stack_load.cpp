#include <fmt/format.h>

#include <cstdlib>
#include <thread>

#include "api/well_known.h"
#include "kube/transport/http_client.h"
#include "tests/real/load/load.h"

namespace coppice::load {
namespace {

constexpr int kWriters = 16;
constexpr int kGpusPerNode = 8;
constexpr std::chrono::seconds kLimit(600);

std::string Pods(const std::string& ns) { return "/api/v1/namespaces/" + ns + "/pods"; }

void CreateNode(RawClient& client, int i) {
  constexpr const char* kResources =
      R"({"cpu":"64","memory":"512Gi","pods":"110","nvidia.com/gpu":"8"})";
  const std::string node = fmt::format(
      R"({{"apiVersion":"v1","kind":"Node","metadata":{{"name":"load-{0}","labels":)"
      R"({{"kubernetes.io/hostname":"load-{0}"}}}},"status":{{"allocatable":{1},"capacity":{1},)"
      R"("conditions":[{{"type":"Ready","status":"True"}}]}}}})",
      i, kResources);
  client.Send("POST", "/api/v1/nodes", node);
  client.Send("PUT", fmt::format("/api/v1/nodes/load-{}/status", i), node);
}

std::string PodBody(std::string_view label, std::string_view value, std::string_view scheduler,
                    int64_t i) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"pod-{}","labels":)"
      R"({{"{}":"{}"}}}},"spec":{{"schedulerName":"{}","containers":)"
      R"([{{"name":"main","image":"i","resources":{{"limits":{{"nvidia.com/gpu":"1"}}}}}}]}}}})",
      i, label, value, scheduler);
}

// A PodGang of the pods from `first` on, all or nothing.
std::string GangBody(const std::string& ns, int64_t first, int pods) {
  std::string references;
  for (int64_t i = first; i < first + pods; ++i) {
    references += fmt::format(R"({}{{"namespace":"{}","name":"pod-{}"}})",
                              references.empty() ? "" : ",", ns, i);
  }
  return fmt::format(
      R"({{"apiVersion":"scheduler.grove.io/v1alpha1","kind":"PodGang","metadata":)"
      R"({{"name":"gang-{}","labels":{{"kai.scheduler/queue":"lender"}}}},"spec":{{"podgroups":)"
      R"([{{"name":"workers","minReplicas":{},"podReferences":[{}]}}]}}}})",
      first / pods, pods, references);
}

void CreatePod(RawClient& client, const std::string& ns, int64_t i, const StackLoad& load) {
  if (load.gang == 0) {
    client.Send(
        "POST", Pods(ns),
        PodBody("kai.scheduler/queue", "lender", load.bare ? "nobody" : "kai-scheduler", i));
    return;
  }
  if (i % load.gang == 0) {
    client.Send("POST", fmt::format("/apis/scheduler.grove.io/v1alpha1/namespaces/{}/podgangs", ns),
                GangBody(ns, i, load.gang));
  }
  client.Send(
      "POST", Pods(ns),
      PodBody("grove.io/podgang", fmt::format("gang-{}", i / load.gang), "grove-scheduler", i));
}

void Bind(RawClient& client, const std::string& ns, int64_t i) {
  client.Send("POST", fmt::format("{}/pod-{}/binding", Pods(ns), i),
              fmt::format(R"({{"apiVersion":"v1","kind":"Binding","metadata":{{"name":"pod-{}"}},)"
                          R"("target":{{"apiVersion":"v1","kind":"Node","name":"load-{}"}}}})",
                          i, i / kGpusPerNode));
}

// Pods per second until the last one has a node, or the time is over.
double Measure(Target& target, const std::string& ns, int pods, const StackLoad& load) {
  RawClient client(target.server);
  CreateNamespace(client, ns);
  auto api = *kube::MakeHttpClient(target.config, target.executor, {});
  const auto start = std::chrono::steady_clock::now();
  CallsPerSecond(target, kWriters, pods, kLimit, [&](RawClient& each, int64_t i) {
    CreatePod(each, ns, i, load);
    if (load.bare) Bind(each, ns, i);
  });
  const auto waiting = [&] {
    const auto list =
        api->List(api::kPods, {.ns = ns, .field_selector = "spec.nodeName=", .limit = 1});
    return !list || !list->items.empty();
  };
  while (!load.bare && waiting()) {
    if (SecondsSince(start) > kLimit.count()) {
      fmt::print(stderr, "not every pod got a node within {} s\n", kLimit.count());
      std::exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return pods / SecondsSince(start);
}

}  // namespace

void MakeNodes(const Target& target, int count) {
  CallsPerSecond(target, kWriters, count, kLimit,
                 [](RawClient& client, int64_t i) { CreateNode(client, static_cast<int>(i)); });
}

void MeasureStack(Target& target, const std::string& ns, int pods, const StackLoad& load) {
  Report(load.bare ? "create and bind" : "scheduled", Measure(target, ns, pods, load), "pods/s");
}

}  // namespace coppice::load
