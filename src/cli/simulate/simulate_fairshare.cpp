#include "cli/simulate/simulate_fairshare.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/common/wait.h"
#include "cli/show/views.h"
#include "engine/shares/fair_share.h"
#include "http/server/server.h"
#include "json/parse.h"
#include "json/write.h"

namespace coppice::cli {
namespace {

using json::Value;

struct ShareKind {
  const char* name;   // In a queue and in the reply.
  const char* total;  // In totalResource.
  double deserved;    // Where a queue says nothing about it.
};
constexpr ShareKind kShareKinds[] = {
    {"gpu", "GPU", 0}, {"cpu", "CPU", -1}, {"memory", "Memory", -1}};

constexpr double kRequest = 100000;  // Of queues that do not say.

engine::ShareRequest ReadShare(const Value& queue, const ShareKind& kind) {
  const Value& share = queue["resourceShare"][kind.name];
  const double deserved = share.IsObject() ? 0 : kind.deserved;
  engine::ShareRequest request;
  request.deserved = share["deserved"].AsDouble(deserved);
  request.limit = share["maxAllowed"].AsDouble(-1);
  request.weight = share["overQuotaWeight"].AsDouble(1);
  request.request = share["request"].AsDouble(kRequest);
  request.priority = static_cast<int>(queue["priority"].AsInt(0));
  return request;
}

// Those that do not say when they were made are the youngest.
base::Result<base::Time> CreationOf(const Value& queue) {
  const Value& given = queue["creationTimestamp"];
  if (given.AsString().empty()) return base::Time::max();
  return base::ParseRfc3339(given.AsString());
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

base::Result<Value> SimulateFairShare(const Value& question) {
  if (!question["queues"].IsArray()) return base::InvalidArgument("queues: must be a list");
  std::vector<Value> queues(question["queues"].Items().begin(), question["queues"].Items().end());
  std::stable_sort(queues.begin(), queues.end(), [](const Value& a, const Value& b) {
    return a["uid"].AsString() < b["uid"].AsString();
  });
  std::vector<Value> shares(queues.size(), Value::Object());
  for (const ShareKind& kind : kShareKinds) {
    std::vector<engine::ShareRequest> requests;
    for (const Value& queue : queues) {
      if (queue["uid"].AsString().empty()) return base::InvalidArgument("queues: one has no uid");
      requests.push_back(ReadShare(queue, kind));
      COPPICE_ASSIGN(requests.back().creation, CreationOf(queue));
      requests.back().name_rank = static_cast<int>(requests.size());
    }
    engine::DivideFairShare(question["totalResource"][kind.total].AsDouble(), 0, 1, requests);
    for (size_t i = 0; i < queues.size(); ++i) shares[i].Set(kind.name, requests[i].fair_share);
  }
  Value answer = Value::Object();
  for (size_t i = 0; i < queues.size(); ++i) {
    answer.Set(queues[i]["uid"].AsString(), std::move(shares[i]));
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
