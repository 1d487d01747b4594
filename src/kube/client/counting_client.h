#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "kube/client/intercepted_client.h"

namespace coppice::kube {

// Counts calls, for tests that steady state writes nothing and for benchmarks. Dry runs do not
// count as writes. Failed calls count too: they cost the server as much. Thread-safe.
class CountingClient final : public InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

  // Calls of this verb on "pods", "pods/status", "podgangs.scheduler.grove.io"; "" for all.
  int64_t Count(Verb verb, const std::string& what = "") const;
  // All writes.
  int64_t Writes() const;
  // "create pods: 3\npatch pods/status: 1\n", to show in a failed test.
  std::string ToString(bool writes_only = true) const;
  void Reset();

 protected:
  base::Status Before(const Call& call) override;

 private:
  mutable std::mutex mutex_;  // Guards counts_.
  std::map<std::pair<Verb, std::string>, int64_t> counts_;
};

}  // namespace coppice::kube
