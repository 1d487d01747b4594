#include "server/kinds/pod/pod_update.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/kinds/checks/checks.h"

namespace coppice::server {
namespace {

constexpr const char* kWhatMayChange =
    "pod updates may not change fields other than "
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

bool Contains(const json::Value& list, const json::Value& item) {
  const auto items = list.Items();
  return std::find(items.begin(), items.end(), item) != items.end();
}

void CheckGateUpdate(const json::Value& spec, const json::Value& old, Causes& causes) {
  const json::Value& gates = spec["schedulingGates"];
  for (size_t i = 0; i < gates.size(); ++i) {
    const json::Value& gate = gates.At(i);
    if (Contains(old["schedulingGates"], gate)) continue;
    causes.push_back(api::ForbiddenField(
        api::Index("spec.schedulingGates", i) + ".name",
        fmt::format("only deletion is allowed, but found new scheduling gate '{}'",
                    gate["name"].AsString())));
  }
}

void CheckTolerations(const json::Value& spec, const json::Value& old, Causes& causes) {
  for (const json::Value& toleration : old["tolerations"].Items()) {
    const auto now = spec["tolerations"].Items();
    const bool kept = std::any_of(now.begin(), now.end(), [&](json::Value each) {
      json::Value before = toleration;
      each.Erase("tolerationSeconds");
      before.Erase("tolerationSeconds");
      return each == before;
    });
    if (kept) continue;
    causes.push_back(api::ForbiddenField("spec.tolerations",
                                         "existing toleration can not be modified except its "
                                         "tolerationSeconds"));
    return;
  }
}

// The images of `from`, so that a comparison does not see them.
void CopyImages(const json::Value& from, std::string_view list, json::Value& to) {
  const json::Value& containers = from[list];
  if (containers.size() != to[list].size()) return;
  for (size_t i = 0; i < containers.size(); ++i) {
    if (containers.At(i).Has("image")) {
      to.Mutable(list).MutableAt(i).Set("image", containers.At(i)["image"]);
    }
  }
}

void CopyField(const json::Value& from, std::string_view field, json::Value& to) {
  if (const json::Value* value = from.Find(field)) {
    to.Set(field, *value);
  } else {
    to.Erase(field);
  }
}

bool OnlyAdds(const json::Value& term, const json::Value& old) {
  for (const char* list : {"matchExpressions", "matchFields"}) {
    for (const json::Value& requirement : old[list].Items()) {
      if (!Contains(term[list], requirement)) return false;
    }
  }
  return true;
}

// Terms are alternatives: another one would widen the choice, one more requirement narrows it.
void CheckTerms(const json::Value& now, const json::Value& old, Causes& causes) {
  const std::string path =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
      "nodeSelectorTerms";
  if (old.empty()) return;
  if (now.size() != old.size()) {
    causes.push_back(api::InvalidField(
        path, now, "no additions/deletions to non-empty NodeSelectorTerms list are allowed"));
    return;
  }
  for (size_t i = 0; i < now.size(); ++i) {
    if (OnlyAdds(now.At(i), old.At(i))) continue;
    causes.push_back(api::InvalidField(api::Index(path, i), now.At(i),
                                       "only additions are allowed (no mutations or deletions)"));
  }
}

void NarrowAffinity(const json::Value& old, json::Value& spec, Causes& causes) {
  const auto terms = [](const json::Value& from) -> const json::Value& {
    return from["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
               ["nodeSelectorTerms"];
  };
  CheckTerms(terms(spec), terms(old), causes);
  if (!spec["affinity"].IsObject() && !old["affinity"]["nodeAffinity"].IsObject()) return;
  CopyField(old["affinity"], "nodeAffinity", spec.Mutable("affinity"));
  if (spec["affinity"].empty() && !old.Has("affinity")) spec.Erase("affinity");
}

// While a pod is gated its placement may be narrowed.
void AllowNarrowing(const json::Value& old, json::Value& spec, Causes& causes) {
  for (const json::Member& label : old["nodeSelector"].Members()) {
    if (spec["nodeSelector"][label.name()] == label.value) continue;
    causes.push_back(api::InvalidField("spec.nodeSelector", spec["nodeSelector"],
                                       "only additions to spec.nodeSelector are allowed (no "
                                       "mutations or deletions)"));
    break;
  }
  CopyField(old, "nodeSelector", spec);
  NarrowAffinity(old, spec, causes);
}

// A deadline may come closer, and be set where there was none.
void CheckDeadlineUpdate(const json::Value& spec, const json::Value& old, Causes& causes) {
  const json::Value& before = old["activeDeadlineSeconds"];
  const json::Value& now = spec["activeDeadlineSeconds"];
  if (before.IsNull()) return;
  if (now.IsNull()) {
    causes.push_back(api::InvalidField("spec.activeDeadlineSeconds", now,
                                       "must not update from a positive integer to nil value"));
  } else if (now.AsInt() > before.AsInt()) {
    causes.push_back(api::InvalidField("spec.activeDeadlineSeconds", now,
                                       "must be less than or equal to previous value"));
  }
}

}  // namespace

void ValidateEphemeralUpdate(const json::Value& pod, const json::Value& old_pod, Causes& causes) {
  const json::Value& containers = pod["spec"]["ephemeralContainers"];
  for (const json::Value& old : old_pod["spec"]["ephemeralContainers"].Items()) {
    if (Contains(containers, old)) continue;
    const auto items = containers.Items();
    const bool there = std::any_of(items.begin(), items.end(), [&](const json::Value& each) {
      return each["name"] == old["name"];
    });
    causes.push_back(
        api::ForbiddenField("spec.ephemeralContainers",
                            fmt::format("existing ephemeral containers \"{}\" may not be {}",
                                        old["name"].AsString(), there ? "changed" : "removed")));
  }
}

void ValidatePodUpdate(const json::Value& pod, const json::Value& old_pod, Causes& causes) {
  const json::Value& old = old_pod["spec"];
  json::Value spec = pod["spec"];
  CheckGateUpdate(spec, old, causes);
  CheckTolerations(spec, old, causes);
  CheckDeadlineUpdate(spec, old, causes);
  if (old["terminationGracePeriodSeconds"].AsInt() < 0 &&
      spec["terminationGracePeriodSeconds"].AsInt() == 1) {
    CopyField(old, "terminationGracePeriodSeconds", spec);
  }
  for (const char* field : {"schedulingGates", "tolerations", "activeDeadlineSeconds"}) {
    CopyField(old, field, spec);
  }
  if (!old["schedulingGates"].empty()) AllowNarrowing(old, spec, causes);
  for (const char* list : {"containers", "initContainers"}) CopyImages(old, list, spec);
  if (spec == old) return;
  causes.push_back(api::ForbiddenField("spec", kWhatMayChange));
}

}  // namespace coppice::server
