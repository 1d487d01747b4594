#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "kube/client/intercepted_client.h"
#include "kube/executor/task_scope.h"

namespace coppice::kube {

// Answers whether this process can do its work: a recent list and a recent write went through. It
// sees both as a decorator of the client that the components use; because steady state writes
// nothing, it also tries both by itself when nobody else has for a while (a list of one object, and
// a dry run of creating a Lease). Thread-safe.
class ReadinessClient final : public InterceptedClient {
 public:
  struct Options {
    std::string ns = "default";                             // Where the trial write goes.
    base::Duration recent = std::chrono::seconds(60);       // How old a success may be.
    base::Duration trial_after = std::chrono::seconds(20);  // Without one, try.
    bool needs_write = true;  // False for a component that only reads.
  };

  ReadinessClient(Client& inner, Executor& executor, Options options);

  // Starts trying. Without it only the components' own calls count.
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
