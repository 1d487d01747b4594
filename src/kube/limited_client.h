#pragma once

#include <mutex>

#include "base/clock.h"
#include "kube/intercepted_client.h"

namespace coppice::kube {

// Caps how many calls per second go out, with a burst. A call over the cap is not held back, for
// nothing in the runtime may block: it fails with TooManyRequests and the time to wait, which
// controllers keep to. Lists and watches pass. Thread-safe.
class LimitedClient final : public InterceptedClient {
 public:
  struct Options {
    double per_second = 50;
    double burst = 300;
  };

  LimitedClient(Client& inner, const base::Clock& clock, Options options);

 protected:
  base::Status Before(const Call& call) override;

 private:
  const base::Clock& clock_;
  const Options options_;
  std::mutex mutex_;  // Guards the two below.
  double tokens_;
  base::Time refilled_;
};

}  // namespace coppice::kube
