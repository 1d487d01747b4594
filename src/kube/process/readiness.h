#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "kube/client/intercepted_client.h"
#include "kube/executor/task_scope.h"

namespace coppice::kube {

// Reports whether this process can work: a recent list and a recent write succeeded. It observes
// both as a decorator of the components' client. Because steady state writes nothing, it also
// probes if there was neither for a while: it lists one object and creates a Lease with dry-run.
// Thread-safe.
class ReadinessClient final : public InterceptedClient {
 public:
  struct Options {
    std::string ns = "default";                             // Namespace of the probe write.
    base::Duration recent = std::chrono::seconds(60);       // How old a success may be.
    base::Duration trial_after = std::chrono::seconds(20);  // Probe after this long without one.
    bool needs_write = true;  // False for a component that only reads.
  };

  ReadinessClient(Client& inner, Executor& executor, Options options);

  // Starts probing. Without it only the components' own calls count.
  void Start();
  void Stop() { scope_.Close(); }
  // Ok, or what is missing: "no successful write for 75s: Forbidden: …".
  base::Status Ready() const;

 protected:
  base::Status After(const Call& call, const base::Status& outcome) override;

 private:
  struct Success {
    std::optional<base::Instant> last;
    std::optional<base::Error> failure;  // Since then.
  };

  void Note(Success& success, const base::Status& outcome);
  base::Status Check(const Success& success, const char* what) const;
  bool Due(const Success& success) const;
  void Try();

  const Options options_;
  mutable std::mutex mutex_;  // Guards the two below.
  Success list_;
  Success write_;
  TaskScope scope_;
};

}  // namespace coppice::kube
