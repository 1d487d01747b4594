#include <benchmark/benchmark.h>

#include <atomic>
#include <condition_variable>
#include <thread>

#include "http/client/client.h"
#include "http/crypto/tls.h"
#include "http/server/server.h"

// Requests per second over loopback, client and server in one process: read the ratios.
namespace coppice::http {
namespace {

class BenchHandler final : public Handler {
 public:
  void Handle(Request request, std::shared_ptr<ResponseWriter> writer) override {
    if (request.path == "/watch") {
      writer->Start(200, {});
      std::lock_guard lock(mutex);
      writers.push_back(std::move(writer));
      return;
    }
    writer->Send({200, {{"content-type", "application/json"}}, body});
  }
  size_t watchers() {
    std::lock_guard lock(mutex);
    return writers.size();
  }

  const Bytes body = MakeBytes(std::string(3000, 'x'));  // About a pod.
  std::mutex mutex;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
};

struct Bench {
  Bench(bool tls, bool http2) {
    ServerOptions options;
    ClientOptions client_options{.proxy_url = "none", .http2 = http2};
    if (tls) {
      const base::Time now = base::RealClock().Now();
      const KeyPair ca = *MakeCertificateAuthority("bench", now, std::chrono::hours(1));
      const KeyPair pair = *IssueCertificate(
          ca, {.common_name = "s", .hosts = {"127.0.0.1"}, .server = true, .not_before = now});
      options.tls = ServerTls{pair.certificate_pem, pair.key_pem, ""};
      client_options.tls.ca_pem = ca.certificate_pem;
    }
    server = *Server::Start(options, handler);
    client = *ClientTransport::Make(client_options);
  }

  BenchHandler handler;
  std::unique_ptr<Server> server;
  std::unique_ptr<ClientTransport> client;
};

void Requests(benchmark::State& state, bool tls, bool http2) {
  Bench bench(tls, http2);
  const int callers = static_cast<int>(state.range(0));
  const std::string url = bench.server->Url() + "/pod";
  std::atomic<int64_t> done = 0;
  for (auto _ : state) {
    constexpr int kEach = 200;
    std::vector<std::thread> threads;
    for (int t = 0; t < callers; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kEach; ++i) {
          done += bench.client->Send({.url = url, .gzip = false}).response.ok();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  state.SetItemsProcessed(done);
}

class CountingSink final : public StreamSink {
 public:
  explicit CountingSink(std::atomic<int64_t>& bytes) : bytes_(bytes) {}
  void OnHead(int, const Headers&) override {}
  void OnData(std::string_view bytes) override {
    bytes_ += static_cast<int64_t>(bytes.size());
    bytes_.notify_one();
  }
  void OnEnd(base::Status) override {}

 private:
  std::atomic<int64_t>& bytes_;
};

// One event to many watchers, until the last one has it.
void FanOut(benchmark::State& state, bool tls, bool http2) {
  Bench bench(tls, http2);
  const auto watchers = static_cast<size_t>(state.range(0));
  std::atomic<int64_t> received = 0;
  CountingSink sink(received);
  std::vector<std::unique_ptr<StreamCall>> calls;
  for (size_t i = 0; i < watchers; ++i) {
    calls.push_back(bench.client->Stream(
        {.url = bench.server->Url() + "/watch", .gzip = false, .timeout = {}}, sink));
  }
  while (bench.handler.watchers() < watchers) std::this_thread::yield();
  const Bytes event = MakeBytes(std::string(3000, 'e'));
  int64_t expected = 0;
  for (auto _ : state) {
    for (auto& writer : bench.handler.writers) writer->Write(event);
    expected += static_cast<int64_t>(watchers * event->size());
    for (int64_t seen = received; seen < expected; seen = received) received.wait(seen);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(watchers));
}

BENCHMARK_CAPTURE(Requests, http1, false, false)->Arg(1)->Arg(32)->UseRealTime();
BENCHMARK_CAPTURE(Requests, http1_tls, true, false)->Arg(1)->Arg(32)->UseRealTime();
BENCHMARK_CAPTURE(Requests, http2_tls, true, true)->Arg(1)->Arg(32)->UseRealTime();
BENCHMARK_CAPTURE(FanOut, http1, false, false)->Arg(1000)->UseRealTime();
BENCHMARK_CAPTURE(FanOut, http2_tls, true, true)->Arg(1000)->UseRealTime();

}  // namespace
}  // namespace coppice::http
