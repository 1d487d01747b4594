#include "operator/podgang/unserved.h"

#include "api/well_known.h"
#include "backends/gangs/gang_builder.h"
#include "backends/model/labels.h"
#include "backends/model/translation.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/podgang/members.h"
#include "operator/podgang/metadata.h"

namespace coppice::operators::podgang {
namespace {

using api::grove::PodCliqueSet;
using backends::PodGangInfo;

// Told by the backend, if there were one.
constexpr std::string_view kSyncedCondition = "BackendSynced";

// A gang that exists keeps the labels that its backend was found by.
json::Value LabelsFor(const PodCliqueSet& set) {
  json::Value labels = json::Value::Object();
  for (const json::Value& clique : set.object["spec"]["template"]["cliques"].Items()) {
    const std::string name = clique["spec"]["podSpec"]["schedulerName"].ToString();
    if (!name.empty()) return labels.Set(backends::labels::kSchedulerName, name);
  }
  return labels;
}

json::Value WantedGang(const Context& context, const PodCliqueSet& set, const PodGangInfo& gang,
                       const std::optional<json::Value>& existing) {
  json::Value wanted = existing ? *existing : kube::NewObject(api::kPodGangs, gang.ns, gang.name);
  SetGangMetadata(context.config, set, gang, existing ? json::Value::Object() : LabelsFor(set),
                  json::Value::Object(), wanted);
  wanted.Set("spec", backends::GangSpec(gang));
  return wanted;
}

// The conditions of others stay as they are, with messages that are empty.
json::Value WithCondition(json::Value status, json::Value condition) {
  if (!status.IsObject()) status = json::Value::Object({{"phase", "Pending"}});
  for (json::Value& present : status.Mutable("conditions").MutableItems()) {
    if (present["type"] != condition["type"]) continue;
    if (present["status"] == condition["status"]) {
      condition.Set("lastTransitionTime", present["lastTransitionTime"]);
    }
    present = std::move(condition);
    return status;
  }
  status.Mutable("conditions").Append(std::move(condition));
  return status;
}

// True when it was not told before.
base::Result<bool> TellWhy(const Context& context, const json::Value& gang,
                           const base::Error& why) {
  const json::Value& present = kube::Condition(gang, kSyncedCondition);
  if (present["reason"].AsString() == backends::reasons::kNoBackend &&
      present["message"].AsString() == why.message()) {
    return false;
  }
  json::Value condition =
      json::Value::Object({{"type", kSyncedCondition},
                           {"status", "False"},
                           {"reason", backends::reasons::kNoBackend},
                           {"message", why.message()},
                           {"observedGeneration", kube::Generation(gang)},
                           {"lastTransitionTime", base::FormatRfc3339(context.Now())}});
  COPPICE_TRY(kube::PatchStatus(context.client(), api::kPodGangs, gang,
                                WithCondition(gang["status"], std::move(condition))));
  return true;
}

}  // namespace

Outcome SyncUnserved(const Context& context, const PodCliqueSet& set,
                     std::vector<PodGangInfo> gangs, const base::Error& why) {
  bool news = false;
  for (PodGangInfo& gang : gangs) {
    const auto existing = context.gangs.Get({gang.ns, gang.name});
    if (existing && kube::IsDeleting(*existing)) continue;
    AddReferences(context, gang);
    const auto written = context.writer().CreateOrPatch(api::kPodGangs, existing,
                                                        WantedGang(context, set, gang, existing));
    OPERATOR_TRY("ERR_CREATE_OR_PATCH_PODGANG", "Sync", written);
    const auto told = TellWhy(context, written->object, why);
    OPERATOR_TRY("ERR_CREATE_OR_PATCH_PODGANG", "Sync", told);
    news |= *told;
  }
  if (news) {
    context.Event(set.object, "Warning", "PodGangCreateOrUpdateFailed", why.message());
  }
  return Outcome::Failed("ERR_CREATE_OR_PATCH_PODGANG", "Sync", why);
}

}  // namespace coppice::operators::podgang
