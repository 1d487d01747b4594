// Feeds arbitrary bytes to the HTTP/1.1 and HTTP/2 engines, in pieces of arbitrary sizes, and
// answers every request that comes out in one of several ways.

#include <cstddef>
#include <cstdint>
#include <memory>

#include "http/protocol/http2_frames_testing.h"
#include "http/server/protocol.h"

namespace coppice::http {
namespace {

constexpr size_t kMaxHeld = 16 << 10;

class FuzzHost final : public ProtocolHost {
 public:
  void Dispatch(Request request, std::shared_ptr<ResponseStream> stream) override {
    COPPICE_CHECK(request.body.size() <= 4096);
    COPPICE_CHECK(IsValidUtf8(request.path));
    COPPICE_CHECK(request.http_version == 2 || request.headers.items().size() <= 4096 / 4);
    for (const char* once : {"host", "transfer-encoding"}) {
      COPPICE_CHECK(request.http_version == 2 ||
                    request.headers.Joined(once) == request.headers.Get(once));
    }
    const auto writer = stream->MakeWriter();
    switch (request.path.size() % 4) {
      case 0:
        return writer->Send(Response::Make(200, "text/plain", std::move(request.body)));
      case 1:
        writer->Start(200, {{"x", request.target}});
        writer->Write(request.method);
        return writer->Finish();
      case 2:
        return writer->Start(200, {});
      default:
        return;
    }
  }
  void WakeStream(int32_t id) override { woken.push_back(id); }
  void RunOnWorker(std::function<void()> task) override { task(); }
  void MarkAuthenticated() override {}
  void HandlerDone() override {}
  bool Hold(size_t bytes) override {
    held = bytes;
    return bytes <= kMaxHeld;
  }

  std::vector<int32_t> woken;
  size_t held = 0;
};

void Pump(Protocol& protocol, FuzzHost& host) {
  std::string out;
  for (int i = 0; i < 8; ++i) {
    protocol.Wake(std::exchange(host.woken, {}));
    out.clear();
    protocol.Produce(out, 64 << 10);
    if (out.empty() && host.woken.empty()) return;
  }
}

void Run(std::string_view input) {
  if (input.size() < 2) return;
  const bool http2 = input[0] & 1;
  const size_t piece = 1 + static_cast<unsigned char>(input[1]);
  input.remove_prefix(2);
  const auto host = std::make_shared<FuzzHost>();
  const ProtocolLimits limits{.max_header_bytes = 4096, .max_body_bytes = 4096};
  const auto protocol = http2 ? MakeHttp2(host, {}, limits) : MakeHttp1(host, {}, limits);
  if (http2) {
    protocol->Receive(testing::kHttp2Preface);
    protocol->Receive(testing::Frame(testing::kSettings, 0, 0));
  }
  SteadyTime now{};
  while (!input.empty() && !protocol->Done()) {
    const size_t size = std::min(piece, input.size());
    protocol->Receive(input.substr(0, size));
    input.remove_prefix(size);
    // What is held is bounded, and so is what a piece adds before that is noticed.
    COPPICE_CHECK(host->held <= kMaxHeld + 2 * 4096 + 2 * piece);
    Pump(*protocol, *host);
    protocol->Tick(now += std::chrono::seconds(1));
  }
  if (!input.empty()) protocol->Shutdown();
  Pump(*protocol, *host);
  protocol->Lost();
}

}  // namespace
}  // namespace coppice::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  coppice::http::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
