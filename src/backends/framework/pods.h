#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/edit/core.h"
#include "backends/framework/backend.h"

// Helpers for pods and names that every backend uses.
namespace coppice::backends {

// `text`, or `fallback` if it is empty.
inline std::string_view Or(std::string_view text, std::string_view fallback) {
  return text.empty() ? fallback : text;
}

// For an object of any kind.
inline void SetLabel(json::Value& object, std::string_view key, const json::Value& value) {
  edit::meta::PartialObjectMetadata(object).metadata().labels().Set(key, value);
}
inline void SetAnnotation(json::Value& object, std::string_view key, const json::Value& value) {
  edit::meta::PartialObjectMetadata(object).metadata().annotations().Set(key, value);
}

// A pod's spec, for writing.
inline json::Value& SpecOf(json::Value& pod) { return edit::core::Pod(pod).spec().Json(); }

// Copies the labels or annotations among `keys` that the gang has.
void PassLabels(const PodGangInfo& gang, std::initializer_list<std::string_view> keys,
                json::Value& object);
void PassAnnotations(const PodGangInfo& gang, std::initializer_list<std::string_view> keys,
                     json::Value& object);

// True for pods beyond the group's minimum (the last non-zero one).
bool IsSurplus(const PodGroupInfo& group, int64_t index);
// The pod's index within its clique, from its label; -1 if it has none.
int64_t PodIndex(const json::Value& pod);
bool IsLive(const json::Value& pod);  // Neither terminating nor finished.
bool IsFinished(const json::Value& pod);
bool IsBound(const json::Value& pod);
bool IsReady(const json::Value& pod);
// Whether every group has its minimum of pods that are bound and have not failed.
bool HasMinima(const PodGangInfo& gang, std::span<const json::Value> pods);
// Whether neither the pod nor its clique is being deleted.
bool Stays(const ClusterView& cluster, const json::Value& pod);
// Whether a pod's group fields, labels or annotations refer to an object of this name. Our own,
// which name the gang itself, do not count.
bool Mentions(const json::Value& pod, std::string_view name);

// The group of a slot; kInvalid if the gang has no group of that name.
base::Result<const PodGroupInfo*> FindGroup(const GangInput& input, const PodSlot& slot);

// Whether the object belonged to a deleted gang of the same name, or is one of ours whose owner
// reference was removed. Pods may still refer to it, so this gang adopts it.
bool IsLeftBehind(const json::Value& object, const PodGangInfo& gang);

// The most frequent value of a label or annotation on the gang's live pods; "" if none has it.
std::string SaidByPods(const GangInput& input, std::string_view key);

// The name for an object of the gang: `wanted` or, if someone else uses that name, an alternative
// with the gang's uid. kAlreadyExists if that is taken too. `pod_key` is for kinds of which a gang
// has one object: the label or annotation with which pods name it. Then an object that the gang
// already owns keeps its name, and so does a deleted one that its pods still refer to.
base::Result<std::string> ChooseName(const GangInput& input, const api::Resource& resource,
                                     const std::string& wanted, std::string_view pod_key = {});

// Adds a preference for the nodes that pods of the same role used in the gang named by
// reuseReservationRef. Does nothing if that gang is gone, foreign, or left no trace.
void PreferFormerNodes(const GangInput& input, const PodGroupInfo& group, json::Value& pod_spec);

// A nodeSelector that keeps a pod of `group` in the domains of the gang's bound pods, for every
// required level that covers it.
json::Value DomainPin(const GangInput& input, std::string_view group);

}  // namespace coppice::backends
