#include "cli/why/why_picture.h"

#include <atomic>

#include "api/well_known.h"
#include "engine/engine.h"
#include "kube/client/intercepted_client.h"
#include "kube/process/manager.h"
#include "services/common/served.h"
#include "services/scheduler/feed/assumptions.h"
#include "services/scheduler/feed/feed.h"
#include "services/scheduler/options/options.h"

namespace coppice::cli {
namespace {

services::scheduler::Options PictureOptions(const std::string& node_pool) {
  services::scheduler::Options options{.partition_label_value = node_pool};
  // Pods of the default scheduler have the same requirements on nodes; nothing is bound here.
  options.take_default_scheduler = node_pool.empty();
  options.configuration.surplus_delay = options.surplus_delay;
  return options;
}

}  // namespace

// Records whether any read was forbidden.
class Pictures::RightsClient final : public kube::InterceptedClient {
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

// The cluster from the view of a node pool's scheduler, read once.
class Pictures::Picture {
 public:
  Picture(kube::Client& client, kube::Executor& executor, const std::string& node_pool)
      : executor_(executor),
        client_(client),
        options_(PictureOptions(node_pool)),
        manager_(kube::Manager::Make(client_, executor)),
        engine_(options_.configuration),
        feed_(manager_->runtime(), options_, engine_, assumptions_, [] {}) {}
  ~Picture() { manager_->Stop(); }

  // Forbidden if the user may not read all of it.
  base::Status Read(const WhyWait& wait) {
    COPPICE_TRY(feed_.Watch());
    manager_->Start();
    if (!wait([this] { return manager_->Synced() || client_.refused(); })) {
      return base::Unavailable("reading the cluster took too long");
    }
    if (client_.refused()) {
      return base::Error(base::ErrorCode::kForbidden, "not all of the cluster may be seen");
    }
    feed_.Apply();
    return {};
  }

  std::optional<engine::Explanation> Explain(const api::ObjectKey& group,
                                             std::optional<base::Time> room_left_until) {
    if (room_left_until) engine_.SetSurplusHeldUntil(group.ns, group.name, *room_left_until);
    return engine_.Explain(group.ns, group.name, executor_.Now());
  }

  // Shares are computed when a cycle opens; nothing is decided in it.
  std::vector<engine::QueueShare> Shares() {
    engine_.OpenCycle(executor_.Now());
    return engine_.CloseCycle().queues;
  }

 private:
  kube::Executor& executor_;
  RightsClient client_;
  services::scheduler::Options options_;
  std::unique_ptr<kube::Manager> manager_;
  engine::Engine engine_;
  services::scheduler::Assumptions assumptions_;
  services::scheduler::Feed feed_;
};

Pictures::Pictures(kube::Client& client, kube::Executor& executor, WhyWait wait)
    : client_(client), executor_(executor), wait_(std::move(wait)) {}
Pictures::~Pictures() = default;

base::Result<Pictures::Picture*> Pictures::PictureOf(const std::string& node_pool) {
  if (refused_) return nullptr;
  std::unique_ptr<Picture>& picture = by_pool_[node_pool];
  if (picture) return picture.get();
  COPPICE_ASSIGN(const bool scheduled, HasScheduler());
  if (!scheduled || !MaySeeNodes()) return nullptr;
  auto made = std::make_unique<Picture>(client_, executor_, node_pool);
  const base::Status read = made->Read(wait_);
  refused_ = read.Is(base::ErrorCode::kForbidden);
  if (refused_) return nullptr;
  COPPICE_TRY(read);
  picture = std::move(made);
  return picture.get();
}

base::Result<std::optional<engine::Explanation>> Pictures::Explain(
    const WhyTarget& target, std::optional<base::Time> room_left_until) {
  if (target.group.name.empty()) return std::optional<engine::Explanation>();
  COPPICE_ASSIGN(Picture* const picture, PictureOf(target.node_pool));
  if (picture == nullptr) return std::optional<engine::Explanation>();
  return picture->Explain(target.group, room_left_until);
}

base::Result<std::vector<engine::QueueShare>> Pictures::Shares(const std::string& node_pool) {
  COPPICE_ASSIGN(Picture* const picture, PictureOf(node_pool));
  if (picture == nullptr) return std::vector<engine::QueueShare>();
  return picture->Shares();
}

base::Result<bool> Pictures::HasScheduler() {
  for (const api::Resource& needed :
       {api::kPodGroups, api::kQueues, api::kBindRequests, api::kTopologies}) {
    COPPICE_ASSIGN(const bool served, services::IsServed(client_, needed));
    if (!served) return false;
  }
  return true;
}

// Tells early whether the user may only read one namespace, before every informer fails.
bool Pictures::MaySeeNodes() {
  return !client_.List(api::kNodes, {.limit = 1}).Is(base::ErrorCode::kForbidden);
}

}  // namespace coppice::cli
