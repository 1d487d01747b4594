#include "tests/real/load/load.h"

#include <fmt/format.h>

#include <cstdlib>
#include <thread>
#include <vector>

#include "kube/transport/kubeconfig.h"

namespace coppice::load {

std::unique_ptr<Target> Connect(const std::string& kubeconfig) {
  auto target = std::make_unique<Target>();
  auto config = kube::LoadKubeconfig({.path = kubeconfig}, target->executor.clock());
  if (!config) {
    fmt::print(stderr, "{}\n", config.error().ToString());
    std::exit(1);
  }
  target->config = *config;
  target->connection = *kube::ClusterConnection::Make(*std::move(config), {});
  return target;
}

void Report(const std::string& name, double value, const std::string& unit) {
  fmt::print("{{\"name\":\"{}\",\"value\":{:.6g},\"unit\":\"{}\"}}\n", name, value, unit);
  std::fflush(stdout);
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double CallsPerSecond(int threads, int64_t count, std::chrono::seconds limit, const Work& work) {
  std::atomic<int64_t> next = 0;
  std::atomic<int64_t> done = 0;
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      while (std::chrono::steady_clock::now() - start < limit) {
        const int64_t i = next++;
        if (i >= count) return;
        if (!work(i)) std::exit(1);
        ++done;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  return static_cast<double>(done) / SecondsSince(start);
}

bool Send(Target& target, const std::string& method, const std::string& path, std::string body) {
  http::ClientRequest request{.method = method, .url = path, .body = std::move(body)};
  if (!request.body.empty()) request.headers.Set("content-type", "application/json");
  const auto response = target.connection->Send(std::move(request));
  if (!response) fmt::print(stderr, "{} {}: {}\n", method, path, response.error().ToString());
  return response.ok();
}

}  // namespace coppice::load
