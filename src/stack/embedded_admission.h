#pragma once

#include <memory>
#include <mutex>

#include "operator/webhooks/admission.h"
#include "server/api_server.h"
#include "services/admission/admission.h"

namespace coppice::stack {

// The admission of our components inside the embedded server, in place of webhooks. Components put
// theirs in when they start; while the operator is stopped nobody checks, as on a cluster where its
// webhooks are not installed. Thread-safe.
class EmbeddedAdmission {
 public:
  using Grove = operators::webhooks::Admission;
  using Kai = services::admission::Admission;

  // Registers with the server, which must outlive it. Before the first request.
  explicit EmbeddedAdmission(server::ApiServer& server);

  void SetGrove(std::shared_ptr<const Grove> admission);
  void SetKai(std::shared_ptr<Kai> admission);
  void Clear();

  std::shared_ptr<const Grove> grove() const;
  std::shared_ptr<Kai> kai() const;

 private:
  mutable std::mutex mutex_;  // Guards both.
  std::shared_ptr<const Grove> grove_;
  std::shared_ptr<Kai> kai_;
};

}  // namespace coppice::stack
