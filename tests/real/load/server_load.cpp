#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "kube/realistic_pod_testing.h"
#include "tests/real/load/load.h"

namespace coppice::load {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kEach(6);
constexpr int kListed = 10'000;
constexpr int kWatchers = 1000;
constexpr int kWatchedWrites = 100;
const std::string kPods = "/api/v1/namespaces/bench/pods";
const std::string kListedPods = kPods + "?labelSelector=set%3Dlisted";
const std::string kWatched = "/api/v1/namespaces/bench/configmaps";

std::string PodBody(const std::string& set, int64_t i) {
  return fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{0}-{1}","labels":{{"set":"{0}"}}}},)"
      R"("spec":{2}}})",
      set, i, kube::RealisticPodSpec(1, ""));
}

double CreatePods(Target& target, const std::string& set, int threads, int64_t count,
                  std::chrono::seconds limit) {
  return CallsPerSecond(threads, count, limit,
                        [&](int64_t i) { return Send(target, "POST", kPods, PodBody(set, i)); });
}

void MeasureBinds(Target& target, int64_t count) {
  const double rate = CallsPerSecond(32, count, kEach, [&](int64_t i) {
    const std::string name = fmt::format("listed-{}", i);
    return Send(target, "POST", kPods + "/" + name + "/binding",
                fmt::format(R"({{"apiVersion":"v1","kind":"Binding","metadata":{{"name":"{}"}},)"
                            R"("target":{{"apiVersion":"v1","kind":"Node","name":"node-1"}}}})",
                            name));
  });
  Report("binds, 32 writers", rate, "/s");
}

void MeasureGets(Target& target) {
  const double rate = CallsPerSecond(32, 1 << 30, kEach, [&](int64_t i) {
    return Send(target, "GET", fmt::format("{}/listed-{}", kPods, i * 7919 % kListed));
  });
  Report("gets, 32 readers", rate, "/s");
}

void MeasureLists(Target& target) {
  std::vector<double> seconds;
  for (int i = 0; i < 7; ++i) {
    const auto start = steady_clock::now();
    if (!Send(target, "GET", kListedPods)) std::exit(1);
    seconds.push_back(SecondsSince(start));
  }
  std::sort(seconds.begin(), seconds.end());
  Report("list of 10,000 pods", seconds[seconds.size() / 2], "s");
}

// Counts the events of one watch: one line each.
class LineCounter final : public http::StreamSink {
 public:
  LineCounter(std::atomic<int64_t>& open, std::atomic<int64_t>& lines)
      : open_(open), lines_(lines) {}
  void OnHead(int status, const http::Headers&) override {
    if (status == 200) ++open_;
  }
  void OnData(std::string_view bytes) override {
    lines_ += std::count(bytes.begin(), bytes.end(), '\n');
  }
  void OnEnd(base::Status) override { ended_ = true; }
  bool ended() const { return ended_; }

 private:
  std::atomic<int64_t>& open_;
  std::atomic<int64_t>& lines_;
  std::atomic<bool> ended_ = false;
};

void WaitFor(const std::atomic<int64_t>& number, int64_t wanted, const char* what) {
  const auto start = steady_clock::now();
  while (number < wanted) {
    if (SecondsSince(start) > 120) {
      fmt::print(stderr, "{} of {} {} after two minutes\n", number.load(), wanted, what);
      std::exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// From the first of some writes until every watcher has heard of the last.
void MeasureFanOut(Target& target) {
  std::atomic<int64_t> open = 0;
  std::atomic<int64_t> lines = 0;
  std::vector<std::unique_ptr<LineCounter>> counters;
  std::vector<kube::ClusterConnection::Prepared> prepared;
  std::vector<std::unique_ptr<http::StreamCall>> calls;
  for (int i = 0; i < kWatchers; ++i) {
    counters.push_back(std::make_unique<LineCounter>(open, lines));
    prepared.push_back(*target.connection->Prepare(
        {.url = kWatched + "?watch=1&labelSelector=fan%3Dout", .timeout = {}}));
    calls.push_back(prepared.back().transport->Stream(prepared.back().request, *counters.back()));
  }
  WaitFor(open, kWatchers, "watches");
  const auto start = steady_clock::now();
  CallsPerSecond(4, kWatchedWrites, std::chrono::seconds(120), [&](int64_t i) {
    return Send(
        target, "POST", kWatched,
        fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"fan-{}",)"
                    R"("labels":{{"fan":"out"}}}},"data":{{"text":"{}"}}}})",
                    i, std::string(1000, 'x')));
  });
  WaitFor(lines, int64_t{kWatchers} * kWatchedWrites, "events");
  Report("events to 1,000 watchers", kWatchers * kWatchedWrites / SecondsSince(start), "/s");
}

}  // namespace

void MeasureServer(Target& target) {
  if (!Send(target, "POST", "/api/v1/namespaces",
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"bench"}})")) {
    std::exit(1);
  }
  CreatePods(target, "warm", 32, 500, kEach);
  Report("creates, 1 writer", CreatePods(target, "one", 1, 1 << 30, kEach), "/s");
  Report("creates, 32 writers", CreatePods(target, "listed", 32, kListed, kEach * 10), "/s");
  MeasureBinds(target, kListed);
  MeasureGets(target);
  MeasureLists(target);
  MeasureFanOut(target);
}

}  // namespace coppice::load
