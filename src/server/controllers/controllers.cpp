#include "server/controllers/controllers.h"

namespace coppice::server {

Controllers::Controllers(Core& core) : core_(core), garbage_(core), contents_(core) {
  core_.store().SetObserver([this](const std::string& storage, const store::Change& change) {
    garbage_.Observe(storage, change);
    contents_.Observe(storage, change);
  });
  ObserveStored();
}

// What an earlier process left behind.
void Controllers::ObserveStored() {
  for (const std::string& storage : core_.store().Resources()) {
    const auto listing = core_.store().List(storage, {});
    if (!listing) continue;
    for (const store::VersionPtr& version : listing->items) {
      const store::Change change{version->revision(), version, nullptr, false};
      garbage_.Observe(storage, change);
      contents_.Observe(storage, change);
    }
  }
}

void Controllers::Start(kube::Executor& executor) {
  garbage_.Start(executor);
  contents_.Start(executor);
}

void Controllers::Stop() {
  garbage_.Stop();
  contents_.Stop();
}

}  // namespace coppice::server
