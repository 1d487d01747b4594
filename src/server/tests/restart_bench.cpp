#include <benchmark/benchmark.h>
#include <unistd.h>

#include <filesystem>

#include "base/clock.h"
#include "json/parse.h"
#include "server/api_server.h"
#include "store/sqlite/sqlite_journal.h"

// How long a server takes to come back with what it had stored. The objects are three kilobytes
// each and lie in a data folder under the working directory.
namespace coppice::server {
namespace {

constexpr size_t kObjectBytes = 3072;
constexpr int64_t kBatch = 5000;

store::JournalEntry Pod(int64_t revision) {
  const std::string name = "p" + std::to_string(revision);
  json::Value pod = *json::Parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{},
    "spec":{"nodeName":"node-1","containers":[{"name":"main","image":"registry/app:1",
    "resources":{"limits":{"nvidia.com/gpu":"1"}}}]},"status":{"phase":"Running"}})");
  pod.Mutable("metadata").Set("name", name).Set("namespace", "default");
  pod.Mutable("metadata")
      .Set("uid", "uid-" + name)
      .Set("resourceVersion", std::to_string(revision));
  auto version = std::make_shared<store::Version>("default/" + name, revision, pod, 0);
  pod.Mutable("metadata")
      .Mutable("annotations")
      .Set("notes", std::string(kObjectBytes - version->bytes()->size() - 30, 'x'));
  version = std::make_shared<store::Version>("default/" + name, revision, pod, 0);
  return {"/pods", "default/" + name, revision, version};
}

bool Fill(const std::string& file, int64_t count) {
  auto journal = store::OpenSqliteJournal(file);
  if (!journal || !(*journal)->Load([](auto&&...) {})) return false;
  for (int64_t done = 0; done < count; done += kBatch) {
    std::vector<store::JournalEntry> entries;
    for (int64_t i = 0; i < kBatch; ++i) entries.push_back(Pod(1000 + done + i));
    if (!(*journal)->Commit(entries)) return false;
  }
  return true;
}

void Restart(benchmark::State& state) {
  const std::filesystem::path dir =
      std::filesystem::absolute("restart-data-" + std::to_string(getpid()));
  std::filesystem::remove_all(dir);
  const base::RealClock clock;
  const auto start = [&] {
    return ApiServer::Make({.clock = &clock, .data_dir = dir.string(), .seed = 8});
  };
  std::unique_ptr<ApiServer> server = *start();
  server.reset();
  if (!Fill(dir / "coppice.db", state.range(0))) state.SkipWithError("cannot fill the database");
  for (auto _ : state) {
    auto started = start();
    state.PauseTiming();
    server = *std::move(started);
    server.reset();
    state.ResumeTiming();
  }
  std::filesystem::remove_all(dir);
}
BENCHMARK(Restart)->Arg(100000)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(5);

}  // namespace
}  // namespace coppice::server
