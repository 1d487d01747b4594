#include <fmt/format.h>
#include <malloc.h>

#include <condition_variable>
#include <fstream>
#include <set>

#include "api/well_known.h"
#include "kube/cache/index.h"
#include "kube/cache/informer.h"
#include "kube/cache/packing/realistic_pod_testing.h"
#include "kube/cache/packing/trim.h"
#include "kube/transport/http_client.h"
#include "tests/real/load/load.h"

namespace coppice::load {
namespace {

// "VmHWM:  1234 kB" of this process, in bytes.
double PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stod(line.substr(6)) * 1024;
  }
  return 0;
}

double HeapInUse() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd);
}

std::string PodDocument(int i, const std::string& status) {
  return fmt::format(R"({{"apiVersion":"v1","kind":"Pod","metadata":{{{}}},"spec":{}{}}})",
                     kube::RealisticPodMetadata(i),
                     kube::RealisticPodSpec(i, kube::RealisticPodNode(i)), status);
}

void MakePod(RawClient& client, int i) {
  const std::string pods = "/api/v1/namespaces/" + kube::RealisticPodNamespace(i) + "/pods";
  const std::string status = R"(,"status":)" + kube::RealisticPodStatus(i);
  client.Send("POST", pods + "?fieldManager=operator", PodDocument(i, ""));
  client.Send("PUT", pods + "/" + kube::RealisticPodName(i) + "/status?fieldManager=kubelet",
              PodDocument(i, status));
}

}  // namespace

void FillWithPods(const Target& target, int count) {
  RawClient client(target.server);
  std::set<std::string> namespaces;
  for (int i = 0; i < count; i += 100) namespaces.insert(kube::RealisticPodNamespace(i));
  for (const std::string& name : namespaces) CreateNamespace(client, name);
  CallsPerSecond(target, 8, count, std::chrono::seconds(600),
                 [&](RawClient& each, int64_t i) { MakePod(each, static_cast<int>(i)); });
}

void MeasureInformer(Target& target, bool trimmed) {
  auto client = *kube::MakeHttpClient(target.config, target.executor,
                                      {.drop_managed_fields = true, .share_equal_parts = true});
  kube::Reflector::Options options;
  options.share_equal_parts = trimmed;
  if (trimmed) {
    options.which.trim = kube::TrimTo({"spec.nodeName", "spec.schedulerName",
                                       "spec.containers.resources", "spec.schedulingGates",
                                       "spec.tolerations", "status.phase", "status.conditions"});
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool synced = false;
  const double before = HeapInUse();
  const auto start = std::chrono::steady_clock::now();
  kube::ReflectedInformer informer(*client, target.executor, api::kPods, options);
  kube::AddOwnerIndex(informer);
  informer.Start([&] {
    std::lock_guard lock(mutex);
    synced = true;
    changed.notify_all();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return synced; });
  const double seconds = SecondsSince(start);
  lock.unlock();
  malloc_trim(0);
  Report("objects", static_cast<double>(informer.size()), "");
  Report("sync", seconds, "s");
  Report("heap", (HeapInUse() - before) / 1e6, "MB");
  Report("peak", PeakMemory() / 1e6, "MB");
  informer.Stop();
}

}  // namespace coppice::load
