#pragma once

#include <string>

#include "kube/client/intercepted_client.h"
#include "kube/metrics.h"

namespace coppice::kube {

// Counts calls and their outcome as rest_client_requests_total{code,host,method}. Thread-safe.
class MeasuredClient final : public InterceptedClient {
 public:
  // `host` is the label's value. `metrics` must outlive this.
  MeasuredClient(Client& inner, Metrics& metrics, std::string host);

 protected:
  base::Status After(const Call& call, const base::Status& outcome) override;

 private:
  Metrics& metrics_;
  const std::string host_;
};

}  // namespace coppice::kube
