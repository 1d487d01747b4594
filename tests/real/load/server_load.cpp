#include <fmt/format.h>

#include <algorithm>

#include "kube/cache/packing/realistic_pod_testing.h"
#include "tests/real/load/load.h"

namespace coppice::load {
namespace {

constexpr std::chrono::seconds kEach(6);
constexpr int kListed = 10'000;

std::string Pods(const std::string& ns) { return "/api/v1/namespaces/" + ns + "/pods"; }

// About 3 KB.
std::string PodBody(int64_t i) {
  static const std::string spec = kube::RealisticPodSpec(1, "");
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"pod-{}","labels":{{"app":"bench"}}}},)"
      R"("spec":{}}})",
      i, spec);
}

double CreatePods(const Target& target, const std::string& ns, int threads, int64_t count,
                  std::chrono::seconds limit) {
  RawClient client(target.server);
  CreateNamespace(client, ns);
  return CallsPerSecond(
      target, threads, count, limit,
      [path = Pods(ns)](RawClient& each, int64_t i) { each.Send("POST", path, PodBody(i)); });
}

double BindPods(const Target& target, const std::string& ns) {
  return CallsPerSecond(target, 32, kListed, kEach, [&](RawClient& client, int64_t i) {
    client.Send(
        "POST", fmt::format("{}/pod-{}/binding", Pods(ns), i),
        fmt::format(
            R"({{"apiVersion":"v1","kind":"Binding","metadata":{{"name":"pod-{}"}},"target":)"
            R"({{"apiVersion":"v1","kind":"Node","name":"node-1"}}}})",
            i));
  });
}

double GetPods(const Target& target, const std::string& ns) {
  return CallsPerSecond(target, 32, 1 << 30, kEach, [&](RawClient& client, int64_t i) {
    client.Send("GET", fmt::format("{}/pod-{}", Pods(ns), i * 7919 % kListed));
  });
}

// The median, in seconds.
double ListPods(const Target& target, const std::string& ns) {
  RawClient client(target.server);
  std::vector<double> seconds;
  for (int i = 0; i < 9; ++i) {
    const auto start = std::chrono::steady_clock::now();
    client.Send("GET", Pods(ns));
    seconds.push_back(SecondsSince(start));
  }
  std::nth_element(seconds.begin(), seconds.begin() + 4, seconds.end());
  return seconds[4];
}

}  // namespace

void MeasureServer(const Target& target, const std::string& only) {
  const auto wanted = [&](const char* part) { return only.empty() || only == part; };
  const std::string ns = "bench";
  CreatePods(target, "warm", 32, 500, kEach);
  if (wanted("single")) {
    Report("creates, 1 writer", CreatePods(target, "single", 1, 1 << 30, kEach), "/s");
  }
  // The parts that follow work on these pods.
  Report("creates, 32 writers", CreatePods(target, ns, 32, kListed, kEach * 10), "/s");
  if (wanted("binds")) Report("binds, 32 writers", BindPods(target, ns), "/s");
  if (wanted("gets")) Report("gets, 32 readers", GetPods(target, ns), "/s");
  if (wanted("lists")) Report("list of 10,000 pods", ListPods(target, ns), "s");
  if (wanted("watchers")) MeasureFanOut(target, ns);
}

}  // namespace coppice::load
