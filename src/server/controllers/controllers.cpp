#include "server/controllers/controllers.h"

namespace coppice::server {

Controllers::Controllers(Core& core)
    : core_(core),
      restarted_(core.store().revision() > 1),
      garbage_(core),
      contents_(core),
      budgets_(core),
      quotas_(core),
      groups_(core),
      volumes_(core),
      events_(core) {
  core_.store().SetObserver([this](const std::string& storage, const store::Change& change) {
    Observe(storage, change);
  });
}

void Controllers::Observe(const std::string& storage, const store::Change& change) {
  garbage_.Observe(storage, change);
  contents_.Observe(storage, change);
  budgets_.Observe(storage, change);
  quotas_.Observe(storage, change);
  groups_.Observe(storage, change);
  volumes_.Observe(storage, change);
}

// Handles what an earlier process left behind. A separate task, because every object must be
// parsed: the server is available before that is done.
void Controllers::ObserveStored() {
  for (const std::string& storage : core_.store().Resources()) {
    const auto listing = core_.store().List(storage, {});
    if (!listing) continue;
    for (const store::VersionPtr& version : listing->items) {
      Observe(storage, {version->revision(), version, nullptr, false});
    }
  }
}

void Controllers::Start(kube::Executor& executor) {
  scope_ = std::make_unique<kube::TaskScope>(executor);
  if (restarted_) scope_->Post([this] { ObserveStored(); });
  garbage_.Start(executor);
  contents_.Start(executor);
  budgets_.Start(executor);
  quotas_.Start(executor);
  groups_.Start(executor);
  volumes_.Start(executor);
  events_.Start(executor);
}

void Controllers::Stop() {
  if (scope_) scope_->Close();
  garbage_.Stop();
  contents_.Stop();
  budgets_.Stop();
  quotas_.Stop();
  groups_.Stop();
  volumes_.Stop();
  events_.Stop();
}

}  // namespace coppice::server
