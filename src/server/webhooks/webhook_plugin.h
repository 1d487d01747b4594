#pragma once

#include <string>

#include "server/core/core.h"
#include "server/model/admission.h"
#include "server/webhooks/expressions.h"
#include "server/webhooks/review_answer.h"
#include "server/webhooks/webhook_client.h"
#include "store/store.h"

namespace coppice::server {

// The webhooks of the cluster's Mutating- and ValidatingWebhookConfigurations, called over HTTPS.
// They run after the in-process plugins.
class WebhookPlugin final : public AdmissionPlugin {
 public:
  explicit WebhookPlugin(Core& core);

  const std::string& name() const override { return name_; }
  bool Handles(const AdmissionRequest& request) const override;
  base::Status Mutate(const AdmissionRequest& request, json::Value& object) override;
  base::Status Validate(const AdmissionRequest& request) override;

 private:
  enum class Stage { kMutating, kValidating };

  base::Status MutateOnce(const AdmissionRequest& request, const json::Value& webhook,
                          json::Value& object);
  // Calls a webhook that must not change anything.
  base::Status Check(const AdmissionRequest& request, const json::Value& webhook, Stage stage);
  // Calls the webhook for `request`, whose objects are in a version that its rules match; `asked`
  // is the resource in the client's request. Empty if the webhook does not match, or if its failure
  // policy admits the request without a response.
  base::Result<Verdict> Ask(const AdmissionRequest& request, const api::Resource& asked,
                            const json::Value& webhook, Stage stage);
  base::Result<Verdict> Call(const AdmissionRequest& request, const api::Resource& asked,
                             const json::Value& webhook, Stage stage);

  const std::string name_ = "webhooks";
  Core& core_;
  store::Store& store_;
  const std::atomic<size_t>& mutating_;  // How many configurations there are.
  const std::atomic<size_t>& validating_;
  const Expressions expressions_;
  WebhookClient client_;
};

}  // namespace coppice::server
