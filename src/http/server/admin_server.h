#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace coppice::http {

struct AdminOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 0;  // 0: the system picks one.
  // Called for each request, on any thread. An empty check counts as healthy.
  std::function<std::string()> metrics;  // Prometheus text.
  std::function<base::Status()> healthy;
  std::function<base::Status()> ready;
};

// The small plain-HTTP server of every process, for administrators: /metrics, /healthz (also
// /livez), /readyz with the reason when not ready, and /loglevel (GET; PUT with "debug", "info",
// "warn" or "error" as the body).
class AdminServer {
 public:
  static base::Result<std::unique_ptr<AdminServer>> Start(AdminOptions options);
  virtual ~AdminServer() = default;
  virtual uint16_t port() const = 0;
  // "http://127.0.0.1:8080".
  virtual std::string Url() const = 0;
};

}  // namespace coppice::http
