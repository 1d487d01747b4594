// Informer sync with its memory, and the work queue.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include "api/well_known.h"
#include "kube/cache/index.h"
#include "kube/cache/informer.h"
#include "kube/cache/packing/realistic_pod_testing.h"
#include "kube/cache/packing/trim.h"
#include "kube/client/intercepted_client.h"
#include "kube/controller/work_queue.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "kube/transport/object_decoder.h"

namespace coppice::kube {
namespace {

constexpr int kPageSize = 500;

// As a server sends it: a third of it is managedFields.
std::string PodText(int i) {
  const std::string fields = fmt::format(
      R"({{"f:metadata":{{"f:generateName":{{}},"f:labels":{{".":{{}},"f:app.kubernetes.io/name":{{}},)"
      R"("f:grove.io/podclique":{{}},"f:pod-template-hash":{{}}}},"f:ownerReferences":{{".":{{}},)"
      R"("k:{{\"uid\":\"6f1c2b6e-1111-4222-8333-{:012}\"}}":{{}}}}}},"f:spec":{{"f:containers":)"
      R"({{"k:{{\"name\":\"main\"}}":{{".":{{}},"f:args":{{}},"f:env":{{".":{{}},"k:{{\"name\":\"RANK\"}}":)"
      R"({{".":{{}},"f:name":{{}},"f:value":{{}}}}}},"f:image":{{}},"f:imagePullPolicy":{{}},"f:name":{{}},)"
      R"("f:ports":{{".":{{}},"k:{{\"containerPort\":8000,\"protocol\":\"TCP\"}}":{{".":{{}},)"
      R"("f:containerPort":{{}},"f:protocol":{{}}}}}},"f:resources":{{".":{{}},"f:limits":{{".":{{}},)"
      R"("f:cpu":{{}},"f:memory":{{}},"f:nvidia.com/gpu":{{}}}},"f:requests":{{".":{{}},"f:cpu":{{}},)"
      R"("f:memory":{{}},"f:nvidia.com/gpu":{{}}}}}},"f:terminationMessagePath":{{}},)"
      R"("f:terminationMessagePolicy":{{}}}}}},"f:dnsPolicy":{{}},"f:enableServiceLinks":{{}},)"
      R"("f:restartPolicy":{{}},"f:schedulerName":{{}},"f:securityContext":{{}},)"
      R"("f:terminationGracePeriodSeconds":{{}}}}}})",
      i / 100);
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{{0},)"
      R"("uid":"a1b2c3d4-0000-4000-8000-{1:012}","resourceVersion":"{2}",)"
      R"("creationTimestamp":"2026-01-02T03:04:05Z","managedFields":[{{"manager":"coppice","operation":)"
      R"("Update","apiVersion":"v1","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{3}}}]}},)"
      R"("spec":{4},"status":{5}}})",
      RealisticPodMetadata(i), i, i + 1000, fields, RealisticPodSpec(i, RealisticPodNode(i)),
      RealisticPodStatus(i));
}

// Answers lists by parsing text, as a client over HTTP does.
class PodPages final : public InterceptedClient {
 public:
  PodPages(Client& nobody, int pods, bool share)
      : InterceptedClient(nobody), decoder_(true, share) {
    for (int i = 0; i < pods; i += kPageSize) {
      std::string page = R"({"items":[)";
      for (int j = i; j < std::min(pods, i + kPageSize); ++j) {
        if (j != i) page += ',';
        page += PodText(j);
      }
      bytes_ += static_cast<int64_t>(page.size());
      pages_.push_back(page + "]}");
    }
  }

  base::Result<ObjectList> List(const Resource&, const ListOptions& options) override {
    const size_t page = options.continue_token.empty() ? 0 : std::stoul(options.continue_token);
    COPPICE_ASSIGN(json::Value parsed, decoder_.Decode(pages_[page], kListDepth));
    ObjectList list;
    list.items = std::move(parsed.Mutable("items").MutableItems());
    list.resource_version = "5000000";
    if (page + 1 < pages_.size()) list.continue_token = std::to_string(page + 1);
    return list;
  }
  base::Result<std::unique_ptr<Watch>> StartWatch(const Resource&, const WatchOptions&,
                                                  WatchSink&) override {
    return std::make_unique<Watch>();
  }
  int64_t bytes() const { return bytes_; }

 private:
  ObjectDecoder decoder_;
  std::vector<std::string> pages_;
  int64_t bytes_ = 0;
};

class Nobody final : public Client {
 public:
  base::Result<json::Value> Get(const Resource&, const ObjectKey&, const GetOptions&) override {
    return Never();
  }
  base::Result<ObjectList> List(const Resource&, const ListOptions&) override { return Never(); }
  base::Result<std::unique_ptr<Watch>> StartWatch(const Resource&, const WatchOptions&,
                                                  WatchSink&) override {
    return Never();
  }
  base::Result<json::Value> Create(const Resource&, const json::Value&,
                                   const WriteOptions&) override {
    return Never();
  }
  base::Result<json::Value> Update(const Resource&, const json::Value&,
                                   const WriteOptions&) override {
    return Never();
  }
  base::Result<json::Value> Patch(const Resource&, const ObjectKey&, PatchType, const json::Value&,
                                  const WriteOptions&) override {
    return Never();
  }
  base::Status Delete(const Resource&, const ObjectKey&, const DeleteOptions&) override {
    return Never();
  }
  base::Status DeleteCollection(const Resource&, const ListOptions&,
                                const DeleteOptions&) override {
    return Never();
  }
  base::Result<json::Value> GetPath(std::string_view) override { return Never(); }

 private:
  static base::Error Never() { return base::Unimplemented("not in this benchmark"); }
};

int64_t HeapInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<int64_t>(info.uordblks + info.hblkhd);
}

enum Mode { kWhole, kShared, kTrimmed };

Reflector::Options OptionsFor(int64_t mode) {
  Reflector::Options options;
  options.streaming_lists = false;
  options.page_size = kPageSize;
  options.share_equal_parts = mode == kTrimmed;
  if (mode == kTrimmed) {
    options.which.trim =
        TrimTo({"spec.nodeName", "spec.schedulerName", "spec.containers.resources",
                "spec.schedulingGates", "spec.tolerations", "status.phase", "status.conditions"});
  }
  return options;
}

void InformerSync(benchmark::State& state) {
  const int pods = static_cast<int>(state.range(0));
  Nobody nobody;
  PodPages client(nobody, pods, state.range(1) != kWhole);
  int64_t heap = 0;
  for (auto _ : state) {
    const int64_t before = HeapInUse();
    Stepper stepper;
    ReflectedInformer informer(client, stepper, api::kPods, OptionsFor(state.range(1)));
    AddOwnerIndex(informer);
    informer.Start({});
    stepper.RunUntilIdle();
    if (informer.size() != static_cast<size_t>(pods)) state.SkipWithError("not synced");
    state.PauseTiming();
    heap = HeapInUse() - before;
    informer.Stop();
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * pods);
  state.counters["json_bytes_per_pod"] = static_cast<double>(client.bytes()) / pods;
  state.counters["heap_bytes_per_pod"] = static_cast<double>(heap) / pods;
}
BENCHMARK(InformerSync)
    ->ArgNames({"pods", "mode"})
    ->ArgsProduct({{10'000, 100'000}, {kWhole, kShared, kTrimmed}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

void WorkQueueAddTakeDone(benchmark::State& state) {
  Stepper stepper;
  WorkQueue queue(stepper, {.name = "bench"}, [] {});
  std::vector<ObjectKey> keys;
  for (int i = 0; i < 1000; ++i) keys.push_back({"ns", fmt::format("object-{:06}", i)});
  for (auto _ : state) {
    for (const ObjectKey& key : keys) queue.Add(key);
    while (const auto key = queue.Take()) queue.Done(*key);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(keys.size()));
}
BENCHMARK(WorkQueueAddTakeDone);

void WorkQueueWithMetrics(benchmark::State& state) {
  Stepper stepper;
  const auto metrics = Metrics::Make();
  WorkQueue queue(stepper, {.name = "bench", .metrics = metrics.get()}, [] {});
  const ObjectKey key{"ns", "object"};
  for (auto _ : state) {
    queue.Add(key);
    queue.Done(*queue.Take());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(WorkQueueWithMetrics);

}  // namespace
}  // namespace coppice::kube
