#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "page/serve/page_server.h"

namespace coppice::cli {

struct UpOptions {
  std::string data_dir;    // "" keeps everything in memory.
  bool in_memory = false;  // Explicitly asks for the same.
  bool accept_data_loss = false;
  std::string listen = "127.0.0.1:6443";
  std::string kubeconfig = "coppice.kubeconfig";
  std::string kubernetes_version = "1.35";
  int nodes = 4;
  int gpus = 8;
  std::string topology;      // "2x4".
  std::string cluster_file;  // A YAML description instead of the three above.
  std::string components = "all";
  std::string operator_config;     // The operator's configuration file.
  std::vector<std::string> flags;  // Flags of the components, as for `coppice run`.
  std::string audit_log;
  std::string admin_address = "127.0.0.1:0";  // The components' metrics, /loglevel.
  std::string page = "127.0.0.1:0";           // The web page; "none": not served.
  // Serves the page of the server with this URL at `page`.
  std::function<base::Result<std::unique_ptr<page::PageServer>>(
      kube::Client& client, kube::Executor& executor, const std::string& url)>
      serve_page;
  size_t max_requests_in_flight = 512;
  double max_requests_per_second = 0;  // 0: no limit.
};

// Runs the embedded API server with simulated nodes and our components until SIGINT or SIGTERM.
// Configuration files are read at start.
int RunUp(const UpOptions& options);

}  // namespace coppice::cli
