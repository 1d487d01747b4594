#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/result.h"
#include "http/client/client.h"
#include "json/value.h"
#include "store/store.h"

namespace coppice::server {

// Sends reviews to webhooks over HTTPS, to the URL or the Service that they name. Thread-safe.
class WebhookClient {
 public:
  // Maximum size of a response: a patch as large as the largest object, plus some room.
  static constexpr size_t kMaxAnswerBytes = size_t{5} << 20;

  explicit WebhookClient(const store::Store& store) : store_(store) {}

  // Blocks until the webhook has responded or its timeout has expired. Redirects are not followed.
  base::Result<json::Value> Post(const json::Value& webhook, const json::Value& review);

 private:
  using Transport = std::shared_ptr<http::ClientTransport>;
  base::Result<Transport> TransportFor(const json::Value& config);
  base::Result<http::Response> Send(const json::Value& webhook, http::ClientRequest request);

  const store::Store& store_;
  std::mutex mutex_;                             // Guards transports_.
  std::map<std::string, Transport> transports_;  // By server name and CA.
};

}  // namespace coppice::server
