#include "services/scheduler/read/relevance.h"

#include <span>
#include <string_view>

#include "api/key/core.h"
#include "api/key/kai.h"
#include "api/key/meta.h"
#include "api/view/core.h"
#include "api/view/kai.h"

namespace coppice::services::scheduler {
namespace {

using Fields = std::span<const std::string_view>;

bool Differ(view::View before, view::View now, Fields fields) {
  for (const std::string_view field : fields) {
    if (before.Json()[field] != now.Json()[field]) return true;
  }
  return false;
}

template <typename Kind>
bool MetadataOrSpecDiffer(Kind before, Kind now) {
  using Key = key::meta::ObjectMeta;
  static constexpr std::string_view kMetadata[] = {Key::annotations, Key::deletionTimestamp,
                                                   Key::labels, Key::ownerReferences, Key::uid};
  return Differ(before.metadata(), now.metadata(), kMetadata) || before.spec() != now.spec();
}

}  // namespace

bool PodUpdateMatters(const json::Value& old_object, const json::Value& object) {
  using Key = key::core::PodStatus;
  static constexpr std::string_view kStatus[] = {Key::nominatedNodeName, Key::phase, Key::qosClass,
                                                 Key::resourceClaimStatuses};
  const view::core::Pod before(old_object), now(object);
  return MetadataOrSpecDiffer(before, now) || Differ(before.status(), now.status(), kStatus);
}

bool GroupUpdateMatters(const json::Value& old_object, const json::Value& object) {
  static constexpr std::string_view kStatus[] = {key::kai::PodGroupStatus::schedulingConditions};
  const view::kai::PodGroup before(old_object), now(object);
  return MetadataOrSpecDiffer(before, now) || Differ(before.status(), now.status(), kStatus);
}

// A request that was carried out shows in its pod.
bool BindRequestUpdateMatters(const json::Value& old_object, const json::Value& object) {
  const view::kai::BindRequest before(old_object), now(object);
  if (MetadataOrSpecDiffer(before, now)) return true;
  return before.status() != now.status() &&
         (before.status().phase() == "Failed" || now.status().phase() == "Failed");
}

bool QueueUpdateMatters(const json::Value& before, const json::Value& now) {
  return MetadataOrSpecDiffer(view::kai::Queue(before), view::kai::Queue(now));
}

}  // namespace coppice::services::scheduler
