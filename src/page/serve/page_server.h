#pragma once

#include <memory>
#include <string>

#include "http/server/server.h"
#include "page/board/board.h"
#include "page/cluster/cluster.h"
#include "page/serve/access.h"
#include "page/serve/page_handler.h"

namespace coppice::page {

struct PageOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: the system picks one.
  // Required from visitors. "": anyone who reaches the address may read.
  std::string token = NewToken();
  ClusterOptions cluster;
  // Makes the function that explains, given the cluster.
  std::function<WhyFunction(Cluster& cluster)> why;
};

// The page of one cluster, over plain HTTP.
class PageServer {
 public:
  // Listens when it returns; the cluster is read meanwhile. `client` and `executor` must outlive
  // it.
  static base::Result<std::unique_ptr<PageServer>> Start(kube::Client& client,
                                                         kube::Executor& executor,
                                                         PageOptions options);
  ~PageServer();

  // "http://127.0.0.1:8080/?token=…".
  std::string Url() const;
  Cluster& cluster() { return cluster_; }

 private:
  PageServer(kube::Client& client, kube::Executor& executor, PageOptions options);
  base::Status Listen(const PageOptions& options);

  Board board_;
  Cluster cluster_;
  const WhyFunction why_;
  std::unique_ptr<Access> access_;
  std::unique_ptr<PageHandler> handler_;
  std::unique_ptr<http::Handler> late_;  // What the server calls; leads to handler_.
  std::unique_ptr<http::Server> server_;
};

}  // namespace coppice::page
