#include "cli/common/picture.h"

#include <atomic>

#include "api/well_known.h"
#include "kube/client/intercepted_client.h"
#include "services/common/served.h"

namespace coppice::cli {

services::scheduler::Options PictureOptions(const std::string& node_pool) {
  services::scheduler::Options options{.partition_label_value = node_pool};
  // Pods of the default scheduler have the same requirements on nodes; nothing is bound here.
  options.take_default_scheduler = node_pool.empty();
  options.configuration.surplus_delay = options.surplus_delay;
  return options;
}

// Records whether any read was forbidden.
class Picture::RightsClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  bool refused() const { return refused_; }

 protected:
  base::Status After(const kube::Call&, const base::Status& outcome) override {
    if (outcome.Is(base::ErrorCode::kForbidden)) refused_ = true;
    return outcome;
  }

 private:
  std::atomic<bool> refused_ = false;
};

Picture::Picture(kube::Client& client, kube::Executor& executor,
                 services::scheduler::Options options)
    : client_(std::make_unique<RightsClient>(client)),
      options_(std::move(options)),
      manager_(kube::Manager::Make(*client_, executor)),
      engine_(options_.configuration),
      feed_(manager_->runtime(), options_, engine_, assumptions_, [] {}) {
  engine_.KeepInputs();
}
Picture::~Picture() { manager_->Stop(); }

base::Status Picture::Read(const PictureWait& wait) {
  COPPICE_TRY(feed_.Watch());
  manager_->Start();
  if (!wait([this] { return manager_->Synced() || client_->refused(); })) {
    return base::Unavailable("reading the cluster took too long");
  }
  if (client_->refused()) {
    return base::Error(base::ErrorCode::kForbidden, "not all of the cluster may be seen");
  }
  feed_.Apply();
  return {};
}

base::Result<bool> HasScheduler(kube::Client& client) {
  for (const api::Resource& needed :
       {api::kPodGroups, api::kQueues, api::kBindRequests, api::kTopologies}) {
    COPPICE_ASSIGN(const bool served, services::IsServed(client, needed));
    if (!served) return false;
  }
  return true;
}

bool MaySeeNodes(kube::Client& client) {
  return !client.List(api::kNodes, {.limit = 1}).Is(base::ErrorCode::kForbidden);
}

}  // namespace coppice::cli
