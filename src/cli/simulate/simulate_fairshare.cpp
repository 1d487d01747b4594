#include "cli/simulate/simulate_fairshare.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "api/key/kaifiles.h"
#include "api/view/kaifiles.h"
#include "cli/common/fail.h"
#include "cli/common/wait.h"
#include "engine/shares/fair_share.h"
#include "http/server/server.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::cli {
namespace {

using json::Value;

using view::kaifiles::FairShareQueue;
using view::kaifiles::FairShareResource;

struct ShareKind {
  std::string_view name;   // In a queue and in the response.
  std::string_view total;  // In totalResource.
  double deserved;         // The default if a queue does not specify it.
};
using ShareKey = key::kaifiles::FairShareResources;
using TotalKey = key::kaifiles::FairShareTotal;
constexpr ShareKind kShareKinds[] = {{ShareKey::gpu, TotalKey::GPU, 0},
                                     {ShareKey::cpu, TotalKey::CPU, -1},
                                     {ShareKey::memory, TotalKey::Memory, -1}};

constexpr double kRequest = 100000;  // The default for queues.

engine::ShareRequest ReadShare(FairShareQueue queue, const ShareKind& kind) {
  const FairShareResource share(queue.resourceShare().Json()[kind.name]);
  const double deserved = share ? 0 : kind.deserved;
  engine::ShareRequest request;
  request.deserved = share.deserved(deserved);
  request.limit = share.maxAllowed(-1);
  request.weight = share.overQuotaWeight(1);
  request.request = share.request(kRequest);
  request.priority = static_cast<int>(queue.priority());
  return request;
}

// Queues without a creation time are the youngest.
base::Result<base::Time> CreationOf(FairShareQueue queue) {
  if (queue.creationTimestamp().empty()) return base::Time::max();
  return base::ParseRfc3339(queue.creationTimestamp());
}

class SimulateHandler final : public http::Handler {
 public:
  explicit SimulateHandler(bool cors) : cors_(cors) {}

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    http::Response response = Answer(request);
    if (cors_) {
      response.headers.Set("access-control-allow-origin", "*");
      response.headers.Set("access-control-allow-methods", "POST, OPTIONS");
      response.headers.Set("access-control-allow-headers", "Content-Type");
    }
    writer->Send(std::move(response));
  }

 private:
  http::Response Answer(const http::Request& request) const {
    const auto text = [](int status, std::string body) {
      return http::Response::Make(status, "text/plain", std::move(body));
    };
    if (request.path != "/simulate") return text(404, "404 page not found\n");
    if (cors_ && request.method == "OPTIONS") return text(200, "");
    if (request.method != "POST") return text(405, "Method not allowed\n");
    const auto question = json::Parse(request.body);
    if (!question) return text(400, question.error().message() + "\n");
    const auto answer = SimulateFairShare(*question);
    if (!answer) return text(400, answer.error().message() + "\n");
    return http::Response::Make(200, "application/json", json::Write(*answer));
  }

  const bool cors_;
};

}  // namespace

base::Result<Value> SimulateFairShare(const Value& document) {
  const view::kaifiles::FairShareQuestion question(document);
  if (!question.queues().Json().IsArray()) {
    return base::InvalidArgument("queues: must be a list");
  }
  std::vector<FairShareQueue> queues;
  for (const FairShareQueue queue : question.queues()) queues.push_back(queue);
  std::stable_sort(queues.begin(), queues.end(),
                   [](FairShareQueue a, FairShareQueue b) { return a.uid() < b.uid(); });
  std::vector<Value> shares(queues.size(), Value::Object());
  for (const ShareKind& kind : kShareKinds) {
    std::vector<engine::ShareRequest> requests;
    for (const FairShareQueue queue : queues) {
      if (queue.uid().empty()) return base::InvalidArgument("queues: one has no uid");
      requests.push_back(ReadShare(queue, kind));
      COPPICE_ASSIGN(requests.back().creation, CreationOf(queue));
      requests.back().name_rank = static_cast<int>(requests.size());
    }
    const double total = question.totalResource().Json()[kind.total].AsDouble();
    engine::DivideFairShare(total, 0, 1, requests);
    for (size_t i = 0; i < queues.size(); ++i) shares[i].Set(kind.name, requests[i].fair_share);
  }
  Value answer = Value::Object();
  for (size_t i = 0; i < queues.size(); ++i) {
    answer.Set(queues[i].uid(), std::move(shares[i]));
  }
  return answer;
}

base::Result<std::unique_ptr<http::OwningServer>> StartFairShareServer(
    const FairShareOptions& options) {
  return http::OwningServer::Start(options.port,
                                   std::make_unique<SimulateHandler>(options.enable_cors));
}

int RunFairShareSimulator(const FairShareOptions& options) {
  BlockSignals();
  const auto server = StartFairShareServer(options);
  if (!server) return Fail(server.error());
  fmt::print("Listening on http://127.0.0.1:{}/simulate\n", (*server)->port());
  std::fflush(stdout);
  WaitForSignal();
  return 0;
}

}  // namespace coppice::cli
