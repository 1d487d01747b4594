#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/real/load/load.h"

namespace coppice::load {
namespace {

constexpr int kConnections = 10;
constexpr int kWatchesPerConnection = 100;
constexpr int kWatchers = kConnections * kWatchesPerConnection;
constexpr int kWrites = 200;

nghttp2_nv Header(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

// A hundred watches over one HTTP/2 connection, as a process with many informers has them: counts
// the lines that come. Runs on a thread of its own.
class Watchers {
 public:
  Watchers(const RawServer& server, const std::string& path) : connection_(server, "h2") {
    nghttp2_session_callbacks* callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &OnFrame);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &OnData);
    nghttp2_session_client_new(&session_, callbacks, this);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, nullptr, 0);
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, 16 << 20);
    for (int i = 0; i < kWatchesPerConnection; ++i) Submit(server, path);
    thread_ = std::thread([this] { Run(); });
  }
  ~Watchers() {
    connection_.Shutdown();
    thread_.join();
    nghttp2_session_del(session_);
  }

  int64_t open() const { return open_; }
  int64_t lines() const { return lines_; }

 private:
  void Submit(const RawServer& server, const std::string& path) {
    std::vector<nghttp2_nv> headers = {Header(":method", "GET"), Header(":scheme", "https"),
                                       Header(":authority", server.host()), Header(":path", path),
                                       Header("accept", "application/json")};
    const std::string& line = server.authorization();
    const size_t colon = line.find(": ");
    if (colon != line.npos) {
      headers.push_back(Header("authorization",
                               std::string_view(line).substr(colon + 2, line.size() - colon - 4)));
    }
    nghttp2_submit_request(session_, nullptr, headers.data(), headers.size(), nullptr, nullptr);
  }

  void Run() {
    while (SendPending()) {
      const std::string_view got = connection_.TryRead();
      if (got.empty()) return;
      nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(got.data()), got.size());
    }
  }

  bool SendPending() {
    const uint8_t* bytes;
    for (ssize_t size; (size = nghttp2_session_mem_send(session_, &bytes)) > 0;) {
      const std::string_view text(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
      if (!connection_.Write(text)) return false;
    }
    return true;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    if (frame->hd.type == NGHTTP2_HEADERS) ++static_cast<Watchers*>(self)->open_;
    return 0;
  }
  static int OnData(nghttp2_session*, uint8_t, int32_t, const uint8_t* bytes, size_t size,
                    void* self) {
    static_cast<Watchers*>(self)->lines_ += std::count(bytes, bytes + size, '\n');
    return 0;
  }

  RawConnection connection_;
  nghttp2_session* session_ = nullptr;
  std::atomic<int64_t> open_ = 0;
  std::atomic<int64_t> lines_ = 0;
  std::thread thread_;
};

using AllWatchers = std::vector<std::unique_ptr<Watchers>>;

void WaitFor(const AllWatchers& watchers, int64_t (Watchers::*count)() const, int64_t wanted) {
  const auto start = std::chrono::steady_clock::now();
  while (true) {
    int64_t sum = 0;
    for (const auto& each : watchers) sum += (each.get()->*count)();
    if (sum >= wanted) return;
    if (SecondsSince(start) > 120) {
      fmt::print(stderr, "{} of {} after two minutes\n", sum, wanted);
      std::exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

void MeasureFanOut(const Target& target, const std::string& ns) {
  const std::string path = "/api/v1/namespaces/" + ns + "/configmaps";
  AllWatchers watchers;
  for (int i = 0; i < kConnections; ++i) {
    watchers.push_back(
        std::make_unique<Watchers>(target.server, path + "?watch=1&labelSelector=fan%3Dout"));
  }
  WaitFor(watchers, &Watchers::open, kWatchers);
  const auto start = std::chrono::steady_clock::now();
  CallsPerSecond(target, 4, kWrites, std::chrono::seconds(120), [&](RawClient& client, int64_t i) {
    client.Send(
        "POST", path,
        fmt::format(R"({{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"fan-{}",)"
                    R"("labels":{{"fan":"out"}}}},"data":{{"text":"{}"}}}})",
                    i, std::string(1000, 'x')));
  });
  WaitFor(watchers, &Watchers::lines, int64_t{kWatchers} * kWrites);
  Report("events to 1,000 watchers", kWatchers * kWrites / SecondsSince(start), "/s");
}

}  // namespace coppice::load
