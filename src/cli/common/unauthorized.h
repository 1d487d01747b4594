#pragma once

#include <functional>

#include "kube/client/intercepted_client.h"

namespace coppice::cli {

// Calls `on_refusal` when the server no longer accepts our credentials. Thread-safe if `on_refusal`
// is.
class UnauthorizedWatch final : public kube::InterceptedClient {
 public:
  UnauthorizedWatch(kube::Client& inner, std::function<void()> on_refusal)
      : InterceptedClient(inner), on_refusal_(std::move(on_refusal)) {}

 protected:
  base::Status After(const kube::Call&, const base::Status& outcome) override {
    if (outcome.Is(base::ErrorCode::kUnauthorized)) on_refusal_();
    return outcome;
  }

 private:
  const std::function<void()> on_refusal_;
};

}  // namespace coppice::cli
