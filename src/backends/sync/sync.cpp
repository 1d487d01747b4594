#include "backends/sync/sync.h"

#include <fmt/format.h>

#include <set>

#include "api/edit/meta.h"
#include "api/view/meta.h"
#include "backends/framework/pods.h"
#include "backends/gangs/write_plan.h"
#include "backends/model/fields.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

// True for errors that a retry does not change.
bool IsFinal(const base::Error& error) {
  return error.Is(base::ErrorCode::kInvalid) || error.Is(base::ErrorCode::kInvalidArgument) ||
         error.Is(base::ErrorCode::kForbidden) || error.Is(base::ErrorCode::kTooLarge);
}

// The kind, or this version of it, is no longer served.
bool IsUnserved(const base::Error& error) {
  return error.Is(base::ErrorCode::kNotFound) || error.Is(base::ErrorCode::kMethodNotAllowed);
}

std::string Where(const DesiredObject& desired) {
  return fmt::format("{} {}", desired.resource.QualifiedName(), kube::Name(desired.object));
}

// Identifies an object among those that the gang may own, independent of its version.
using ObjectId = std::pair<std::string, std::string>;
ObjectId IdOf(const api::Resource& resource, std::string_view name) {
  return {resource.QualifiedName(), std::string(name)};
}

api::ObjectKey KeyFor(const DesiredObject& desired, const std::string& ns) {
  return {desired.resource.namespaced ? ns : std::string(),
          std::string(kube::Name(desired.object))};
}

class Writer {
 public:
  Writer(kube::Client& client, const std::string& manager, const GangInput& input,
         const Value& pod_gang, std::span<const Value> pods)
      : client_(client), manager_(manager), input_(input), pod_gang_(pod_gang), pods_(pods) {}

  base::Status WriteAll(const Translation& translation) {
    std::vector<PlannedWrite> plans = Plan(translation);
    HoldTogether(plans);
    for (const PlannedWrite& plan : plans) COPPICE_TRY(Execute(plan));
    return {};
  }

  base::Status DeleteSurplus(const Translation& translation, const std::vector<ResourceUse>& uses) {
    std::set<ObjectId> wanted;
    for (const DesiredObject& desired : translation.objects) {
      wanted.insert(IdOf(desired.resource, kube::Name(desired.object)));
    }
    for (const ResourceUse& use : uses) {
      if (!use.write || !input_.capabilities->Serves(use.resource)) continue;
      for (const Value& object : input_.cluster->OwnedBy(use.resource, input_.gang.uid)) {
        if (wanted.contains(IdOf(use.resource, kube::Name(object)))) continue;
        if (kube::IsDeleting(object) || InUse(object)) continue;
        COPPICE_TRY(Delete(use.resource, object));
      }
    }
    return {};
  }

  SyncReport TakeReport() { return std::move(report_); }

 private:
  std::vector<PlannedWrite> Plan(const Translation& translation) const {
    std::vector<PlannedWrite> plans;
    for (const DesiredObject& desired : translation.objects) {
      const auto live = input_.cluster->Get(desired.resource, KeyFor(desired, input_.gang.ns));
      plans.push_back(PlanWrite(Complete(desired, pod_gang_, input_.gang, *input_.policy),
                                live.value_or(Value()), input_.gang, pods_));
    }
    return plans;
  }

  // Objects that belong together are replaced together or not at all.
  static void HoldTogether(std::vector<PlannedWrite>& plans) {
    bool blocked = false;
    for (const PlannedWrite& plan : plans) blocked |= plan.kind == WriteKind::kBlocked;
    if (!blocked) return;
    for (PlannedWrite& plan : plans) {
      if (plan.kind == WriteKind::kReplace) plan.kind = WriteKind::kBlocked;
    }
  }

  base::Status Execute(const PlannedWrite& plan) {
    switch (plan.kind) {
      case WriteKind::kNone:
        Keep(plan.live);
        return {};
      case WriteKind::kApply:
        return Apply(plan);
      case WriteKind::kReplace:
        return Replace(plan);
      case WriteKind::kBlocked:
        Keep(plan.live);
        Problem(reasons::kUpdateBlocked, Where(plan.desired),
                fmt::format("{} cannot change while pods refer to it; applied when the gang "
                            "restarts as a whole",
                            fmt::join(plan.changed, ", ")));
        return {};
      case WriteKind::kForeign:
        Keep({});
        Problem(reasons::kNameConflict, Where(plan.desired), "belongs to someone else");
        return {};
    }
    return {};
  }

  base::Status Apply(const PlannedWrite& plan) {
    const DesiredObject& desired = plan.desired;
    ++report_.writes;
    const auto written =
        client_.Patch(desired.resource, KeyFor(desired, input_.gang.ns), kube::PatchType::kApply,
                      plan.apply, {.field_manager = manager_, .force = true});
    if (!written) {
      const bool unserved = IsUnserved(written.error());
      if (!unserved && !IsFinal(written.error())) {
        return written.error().During("applying " + Where(desired));
      }
      Keep(plan.live);
      Problem(unserved ? reasons::kBackendUnavailable : reasons::kRejectedByApi, Where(desired),
              written.error().message());
      return {};
    }
    if (!desired.mirror) CheckKept(plan, *written);
    Keep(*written);
    return {};
  }

  // Compares the response with what was sent, because gated fields are silently dropped.
  void CheckKept(const PlannedWrite& plan, const Value& written) {
    Value sent = plan.apply;
    edit::meta::PartialObjectMetadata(sent).metadata().clear_resourceVersion();
    for (const FieldPath& path : plan.desired.create_only) EraseAt(sent, path);
    std::string difference;
    if (HasAll(written, sent, &difference)) return;
    Problem(reasons::kFieldDropped, Where(plan.desired),
            fmt::format("the API server did not keep {}", difference));
  }

  base::Status Replace(const PlannedWrite& plan) {
    if (!kube::IsDeleting(plan.live)) COPPICE_TRY(Delete(plan.desired.resource, plan.live));
    if (!view::meta::PartialObjectMetadata(plan.live).metadata().finalizers().empty()) {
      report_.pending = true;
      Keep({});
      Problem(reasons::kUpdateBlocked, Where(plan.desired), "the old object is being deleted");
      return {};
    }
    PlannedWrite fresh = plan;
    fresh.live = {};
    fresh.apply = plan.desired.object;
    return Apply(fresh);
  }

  base::Status Delete(const api::Resource& resource, const Value& object) {
    ++report_.writes;
    const auto deleted =
        client_.Delete(resource, kube::KeyOf(object), {.uid = std::string(kube::Uid(object))});
    if (deleted || deleted.Is(base::ErrorCode::kNotFound)) return {};
    if (!deleted.Is(base::ErrorCode::kForbidden)) {
      return deleted.error().During("deleting " + resource.QualifiedName());
    }
    Problem(reasons::kRejectedByApi,
            fmt::format("{} {}", resource.QualifiedName(), kube::Name(object)),
            deleted.error().message());
    return {};
  }

  bool InUse(const Value& object) const {
    for (const Value& pod : pods_) {
      if (IsLive(pod) && Mentions(pod, kube::Name(object))) return true;
    }
    return false;
  }

  void Keep(const Value& object) { report_.objects.push_back(object); }

  void Problem(std::string_view reason, std::string path, std::string message) {
    if (!report_.problem) {
      report_.problem = Refusal{std::string(reason), std::move(path), std::move(message)};
    }
  }

  kube::Client& client_;
  const std::string& manager_;
  const GangInput& input_;
  const Value& pod_gang_;
  const std::span<const Value> pods_;
  SyncReport report_;
};

}  // namespace

base::Result<SyncReport> ObjectSyncer::Sync(const GangInput& input, const Value& pod_gang,
                                            const Translation& translation,
                                            const std::vector<ResourceUse>& uses,
                                            std::span<const Value> pods) {
  Writer writer(client_, field_manager_, input, pod_gang, pods);
  COPPICE_TRY(writer.WriteAll(translation));
  COPPICE_TRY(writer.DeleteSurplus(translation, uses));
  return writer.TakeReport();
}

base::Result<int> ObjectSyncer::DeleteAll(const GangInput& input,
                                          const std::vector<ResourceUse>& uses,
                                          std::span<const Value> pods) {
  const Value no_gang;
  Writer writer(client_, field_manager_, input, no_gang, pods);
  COPPICE_TRY(writer.DeleteSurplus({}, uses));
  const SyncReport report = writer.TakeReport();
  if (report.problem) return base::Error(base::ErrorCode::kForbidden, report.problem->message);
  return report.writes;
}

}  // namespace coppice::backends
