#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "http/client.h"
#include "server/admission.h"
#include "server/core.h"
#include "server/webhooks/admission_review.h"
#include "server/webhooks/expressions.h"
#include "store/store.h"

namespace coppice::server {

// The webhooks of the cluster's Mutating- and ValidatingWebhookConfigurations, called over HTTPS.
// They come after the plugins of the process.
class WebhookPlugin final : public AdmissionPlugin {
 public:
  explicit WebhookPlugin(Core& core);

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override;
  base::Status Mutate(const AdmissionRequest& request, json::Value& object) override;
  base::Status Validate(const AdmissionRequest& request) override;

 private:
  base::Status MutateOnce(const AdmissionRequest& request, const json::Value& webhook,
                          json::Value& object);
  // `object` is as it is stored, and so is what the patch that comes back is for. Empty when the
  // webhook is not about it, or when its failure policy lets the request pass without an answer.
  base::Result<Verdict> Call(const AdmissionRequest& request, const json::Value& webhook,
                             const json::Value& object);
  base::Result<Verdict> CallAs(const AdmissionRequest& request, const api::Resource& asked,
                               const json::Value& webhook);
  base::Result<json::Value> Post(const json::Value& webhook, const json::Value& review);
  base::Result<std::string> UrlOf(const json::Value& config) const;
  base::Result<http::ClientTransport*> TransportFor(const json::Value& webhook);

  const std::string name_ = "webhooks";
  Core& core_;
  store::Store& store_;
  const std::atomic<size_t>& mutating_;  // How many configurations there are.
  const std::atomic<size_t>& validating_;
  const Expressions expressions_;
  std::mutex mutex_;                                                          // Guards transports_.
  std::map<std::string, std::unique_ptr<http::ClientTransport>> transports_;  // By CA and name.
};

}  // namespace coppice::server
