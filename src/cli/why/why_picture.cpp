#include "cli/why/why_picture.h"

#include "api/well_known.h"
#include "engine/engine.h"

namespace coppice::cli {

Pictures::Pictures(kube::Client& client, kube::Executor& executor, WhyWait wait)
    : client_(client), executor_(executor), wait_(std::move(wait)) {}
Pictures::~Pictures() = default;

base::Result<std::optional<engine::Explanation>> Pictures::Explain(
    const WhyTarget& target, std::optional<base::Time> room_left_until) {
  std::optional<engine::Explanation> nothing;
  if (target.group.name.empty() || refused_) return nothing;
  std::unique_ptr<Picture>& picture = by_pool_[target.node_pool];
  if (!picture) {
    COPPICE_ASSIGN(const bool scheduled, HasScheduler(client_));
    if (!scheduled || !MaySeeNodes(client_)) return nothing;
    picture = std::make_unique<Picture>(client_, executor_, PictureOptions(target.node_pool));
    const base::Status read = picture->Read(wait_);
    refused_ = read.Is(base::ErrorCode::kForbidden);
    if (refused_) return nothing;
    COPPICE_TRY(read);
  }
  const api::ObjectKey& group = target.group;
  engine::Engine& engine = picture->engine();
  if (room_left_until) engine.SetSurplusHeldUntil(group.ns, group.name, *room_left_until);
  return engine.Explain(group.ns, group.name, executor_.Now());
}

}  // namespace coppice::cli
