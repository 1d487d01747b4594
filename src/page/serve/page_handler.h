#pragma once

#include <functional>

#include "http/server/handler.h"
#include "page/board/board.h"
#include "page/cluster/cluster.h"
#include "page/serve/access.h"

namespace coppice::page {

// Explains why a workload waits (see ExplanationJson in cli/why). May block.
using WhyFunction =
    std::function<base::Result<json::Value>(const std::string& ns, const std::string& target)>;

// The page's HTTP interface. Only GET:
//   /, /map, /queues, /workloads, /workloads/NS/KIND/NAME, /waiting   the page itself
//   /app.js, /style.css, …                                          the files of web/
//   /api/state?sections=nodes,queues       the model with its version
//   /api/changes?sections=nodes&since=7    server-sent events with what changes
//   /api/workload?id=NS/KIND/NAME          one workload: pods, timeline, events, YAML
//   /api/why?id=NS/KIND/NAME               why it waits
class PageHandler final : public http::Handler {
 public:
  // All must outlive it.
  PageHandler(const Access& access, Board& board, Cluster& cluster, WhyFunction why)
      : access_(access), board_(board), cluster_(cluster), why_(std::move(why)) {}

  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override;

 private:
  http::Response Answer(const http::Request& request);
  http::Response AnswerApi(const http::Request& request);
  void Follow(const http::Request& request, const std::shared_ptr<http::ResponseWriter>& writer);

  const Access& access_;
  Board& board_;
  Cluster& cluster_;
  const WhyFunction why_;
};

}  // namespace coppice::page
