#include "cli/why/why_picture.h"

#include "api/well_known.h"
#include "engine/engine.h"

namespace coppice::cli {

Pictures::Pictures(kube::Client& client, kube::Executor& executor, WhyWait wait)
    : client_(client), executor_(executor), wait_(std::move(wait)) {}
Pictures::~Pictures() = default;

base::Result<Picture*> Pictures::PictureOf(const std::string& node_pool) {
  if (refused_) return nullptr;
  std::unique_ptr<Picture>& picture = by_pool_[node_pool];
  if (picture) return picture.get();
  COPPICE_ASSIGN(const bool scheduled, HasScheduler(client_));
  if (!scheduled || !MaySeeNodes(client_)) return nullptr;
  auto made = std::make_unique<Picture>(client_, executor_, PictureOptions(node_pool));
  const base::Status read = made->Read(wait_);
  refused_ = read.Is(base::ErrorCode::kForbidden);
  if (refused_) return nullptr;
  COPPICE_TRY(read);
  picture = std::move(made);
  return picture.get();
}

base::Result<std::optional<engine::Explanation>> Pictures::Explain(
    const WhyTarget& target, std::optional<base::Time> room_left_until) {
  const api::ObjectKey& group = target.group;
  if (group.name.empty()) return std::optional<engine::Explanation>();
  COPPICE_ASSIGN(Picture* const picture, PictureOf(target.node_pool));
  if (picture == nullptr) return std::optional<engine::Explanation>();
  engine::Engine& engine = picture->engine();
  if (room_left_until) engine.SetSurplusHeldUntil(group.ns, group.name, *room_left_until);
  return engine.Explain(group.ns, group.name, executor_.Now());
}

// Shares are computed when a cycle opens; nothing is decided in it.
base::Result<std::vector<engine::QueueShare>> Pictures::Shares(const std::string& node_pool) {
  COPPICE_ASSIGN(Picture* const picture, PictureOf(node_pool));
  if (picture == nullptr) return std::vector<engine::QueueShare>();
  picture->engine().OpenCycle(executor_.Now());
  return picture->engine().CloseCycle().queues;
}

}  // namespace coppice::cli
