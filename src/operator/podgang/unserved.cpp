#include "operator/podgang/unserved.h"

#include "api/edit/grove.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/well_known.h"
#include "backends/gangs/gang_builder.h"
#include "backends/model/translation.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/podgang/members.h"
#include "operator/podgang/metadata.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::podgang {
namespace {

using api::grove::PodCliqueSet;
using backends::PodGangInfo;

// An existing gang keeps the labels that select its backend.
json::Value LabelsFor(const PodCliqueSet& set) {
  json::Value labels = json::Value::Object();
  for (const auto& clique : set.spec.template_.cliques) {
    const std::string_view name = view::core::PodSpec(clique.spec.podSpec).schedulerName();
    if (!name.empty()) return labels.Set(labels::kSchedulerName, name);
  }
  return labels;
}

json::Value WantedGang(const Context& context, const PodCliqueSet& set, const PodGangInfo& gang,
                       const std::optional<json::Value>& existing) {
  json::Value wanted = existing ? *existing : kube::NewObject(api::kPodGangs, gang.ns, gang.name);
  SetGangMetadata(context.config, set, gang, existing ? json::Value::Object() : LabelsFor(set),
                  json::Value::Object(), wanted);
  edit::grove::PodGang(wanted).set_spec(backends::GangSpec(gang));
  return wanted;
}

// Keeps other conditions unchanged, including empty messages.
json::Value WithCondition(json::Value status, json::Value condition) {
  const edit::grove::PodGangStatus edit(status);
  if (!status.IsObject()) edit.set_phase("Pending");
  json::Value& conditions = edit.conditions().Json();
  const view::grove::Condition told(condition);
  for (json::Value& present : conditions.MutableItems()) {
    const view::grove::Condition before(present);
    if (before.type() != told.type()) continue;
    if (before.status() == told.status()) {
      edit::grove::Condition(condition).set_lastTransitionTime(before.lastTransitionTime());
    }
    present = std::move(condition);
    return status;
  }
  conditions.Append(std::move(condition));
  return status;
}

// True if it was not reported before.
base::Result<bool> TellWhy(const Context& context, const json::Value& gang,
                           const base::Error& why) {
  const view::grove::Condition present(kube::Condition(gang, api::grove::kGangBackendSynced));
  if (present.reason() == backends::reasons::kNoBackend && present.message() == why.message()) {
    return false;
  }
  json::Value condition = json::Value::Object();
  edit::grove::Condition(condition)
      .set_type(api::grove::kGangBackendSynced)
      .set_status("False")
      .set_reason(backends::reasons::kNoBackend)
      .set_message(why.message())
      .set_observedGeneration(kube::Generation(gang))
      .set_lastTransitionTime(base::FormatRfc3339(context.Now()));
  const json::Value& status = view::grove::PodGang(gang).status().Json();
  COPPICE_TRY(kube::PatchStatus(context.client(), api::kPodGangs, gang,
                                WithCondition(status, std::move(condition))));
  return true;
}

}  // namespace

StepOutcome SyncUnserved(const Context& context, const PodCliqueSet& set,
                         std::vector<PodGangInfo> gangs, const base::Error& why) {
  bool news = false;
  for (PodGangInfo& gang : gangs) {
    const auto existing = context.gangs.Get({gang.ns, gang.name});
    if (existing && kube::IsDeleting(*existing)) continue;
    AddReferences(context, gang);
    const auto written =
        context.CreateOrPatch(api::kPodGangs, existing, WantedGang(context, set, gang, existing));
    OPERATOR_TRY("ERR_CREATE_OR_PATCH_PODGANG", "Sync", written);
    const auto told = TellWhy(context, written->object, why);
    OPERATOR_TRY("ERR_CREATE_OR_PATCH_PODGANG", "Sync", told);
    news |= *told;
  }
  if (news) {
    context.Event(set.object, "Warning", "PodGangCreateOrUpdateFailed", why.message());
  }
  return StepOutcome::Failed("ERR_CREATE_OR_PATCH_PODGANG", "Sync", why);
}

}  // namespace coppice::operators::podgang
