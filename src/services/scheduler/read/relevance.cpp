#include "services/scheduler/read/relevance.h"

#include <span>
#include <string_view>

namespace coppice::services::scheduler {
namespace {

bool Differ(const json::Value& before, const json::Value& now, std::string_view part,
            std::span<const std::string_view> fields) {
  const json::Value &a = before[part], &b = now[part];
  for (const std::string_view field : fields) {
    if (a[field] != b[field]) return true;
  }
  return false;
}

bool MetadataOrSpecDiffer(const json::Value& before, const json::Value& now) {
  static constexpr std::string_view kMetadata[] = {"annotations", "deletionTimestamp", "labels",
                                                   "ownerReferences", "uid"};
  return Differ(before, now, "metadata", kMetadata) || before["spec"] != now["spec"];
}

}  // namespace

bool PodUpdateMatters(const json::Value& before, const json::Value& now) {
  static constexpr std::string_view kStatus[] = {"nominatedNodeName", "phase", "qosClass",
                                                 "resourceClaimStatuses"};
  return MetadataOrSpecDiffer(before, now) || Differ(before, now, "status", kStatus);
}

bool GroupUpdateMatters(const json::Value& before, const json::Value& now) {
  static constexpr std::string_view kStatus[] = {"schedulingConditions"};
  return MetadataOrSpecDiffer(before, now) || Differ(before, now, "status", kStatus);
}

// A request that was carried out shows in its pod.
bool BindRequestUpdateMatters(const json::Value& before, const json::Value& now) {
  if (MetadataOrSpecDiffer(before, now)) return true;
  return before["status"] != now["status"] && (before["status"]["phase"].AsString() == "Failed" ||
                                               now["status"]["phase"].AsString() == "Failed");
}

bool QueueUpdateMatters(const json::Value& before, const json::Value& now) {
  return MetadataOrSpecDiffer(before, now);
}

}  // namespace coppice::services::scheduler
