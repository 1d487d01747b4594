#include "tests/real/load/load.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "kube/config/kubeconfig.h"

namespace coppice::load {
namespace {

kube::ClusterConfig Load(const std::string& kubeconfig, const base::Clock& clock) {
  auto config = kube::LoadKubeconfig({.path = kubeconfig}, clock);
  if (config) return *std::move(config);
  fmt::print(stderr, "{}\n", config.error().ToString());
  std::exit(1);
}

}  // namespace

Target::Target(const std::string& kubeconfig)
    : config(Load(kubeconfig, executor.clock())), server(config) {}

void Report(const std::string& name, double value, const std::string& unit) {
  fmt::print("{{\"name\":\"{}\",\"value\":{:.6g},\"unit\":\"{}\"}}\n", name, value, unit);
  std::fflush(stdout);
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double CallsPerSecond(const Target& target, int threads, int64_t count, std::chrono::seconds limit,
                      const Work& work) {
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int t = 0; t < threads; ++t) clients.push_back(std::make_unique<RawClient>(target.server));
  std::atomic<int64_t> next = 0;
  std::atomic<int64_t> done = 0;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (const auto& client : clients) {
    workers.emplace_back([&, raw = client.get()] {
      while (std::chrono::steady_clock::now() - start < limit) {
        const int64_t i = next++;
        if (i >= count) return;
        work(*raw, i);
        ++done;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return static_cast<double>(done) / SecondsSince(start);
}

void CreateNamespace(RawClient& client, const std::string& name) {
  client.Send(
      "POST", "/api/v1/namespaces",
      fmt::format(R"({{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{}"}}}})", name));
}

}  // namespace coppice::load
