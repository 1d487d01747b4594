#pragma once

#include <span>
#include <string>
#include <string_view>

#include "api/edit/core.h"
#include "backends/framework/backend.h"

// Small things that every backend does to pods and names.
namespace coppice::backends {

// The text, or the other one where it is empty.
inline std::string_view Or(std::string_view text, std::string_view fallback) {
  return text.empty() ? fallback : text;
}

// Of an object of any kind.
inline void SetLabel(json::Value& object, std::string_view key, const json::Value& value) {
  edit::meta::PartialObjectMetadata(object).metadata().labels().Set(key, value);
}
inline void SetAnnotation(json::Value& object, std::string_view key, const json::Value& value) {
  edit::meta::PartialObjectMetadata(object).metadata().annotations().Set(key, value);
}

// A pod's spec, to write to.
inline json::Value& SpecOf(json::Value& pod) { return edit::core::Pod(pod).spec().Json(); }

// Copies the labels or annotations among `keys` that the gang has.
void PassLabels(const PodGangInfo& gang, std::initializer_list<std::string_view> keys,
                json::Value& object);
void PassAnnotations(const PodGangInfo& gang, std::initializer_list<std::string_view> keys,
                     json::Value& object);

// True for pods beyond the group's minimum (the last one that was not zero).
bool IsSurplus(const PodGroupInfo& group, int64_t index);
// The pod's index within its clique, from its label; -1 when it has none.
int64_t PodIndex(const json::Value& pod);
bool IsLive(const json::Value& pod);  // Neither terminating nor finished.
bool IsFinished(const json::Value& pod);
bool IsBound(const json::Value& pod);
bool IsReady(const json::Value& pod);
// Whether every group has its minimum of pods that have a node and have not failed.
bool HasMinima(const PodGangInfo& gang, std::span<const json::Value> pods);
// Whether a pod is there to stay: neither it nor the clique that it was made for is on its way out.
bool Stays(const ClusterView& cluster, const json::Value& pod);
// Whether a pod refers to an object of this name by its group fields, labels or annotations
// (ours, which name the gang itself, do not count).
bool Mentions(const json::Value& pod, std::string_view name);

// The group of a slot; kInvalid when the gang has none of that name.
base::Result<const PodGroupInfo*> FindGroup(const GangInput& input, const PodSlot& slot);

// Whether an object is that of a gang of the same name that was deleted, or one of ours that
// somebody took the owner from. Pods may still refer to it: it is this gang's to go on with.
bool IsLeftBehind(const json::Value& object, const PodGangInfo& gang);

// What most live pods of the gang say under a label or annotation; "" when none says anything.
std::string SaidByPods(const GangInput& input, std::string_view key);

// The name for an object of the gang: `wanted`, or, where somebody else has that, a second choice
// with the gang's uid. kAlreadyExists when it is taken too. `pod_key` is for kinds of which a gang
// has one object: the label or annotation by which pods name it. The object that the gang already
// owns then keeps its name, and so does one that its pods know and somebody deleted.
base::Result<std::string> ChooseName(const GangInput& input, const api::Resource& resource,
                                     const std::string& wanted, std::string_view pod_key = {});

// Adds a preference for the nodes that the pods of the same role had in the gang that
// reuseReservationRef names. Nothing when that gang is gone, foreign, or left no trace.
void PreferFormerNodes(const GangInput& input, const PodGroupInfo& group, json::Value& pod_spec);

// A nodeSelector that keeps a pod of `group` in the domains which the gang's bound pods already
// have, for every required level that covers it.
json::Value DomainPin(const GangInput& input, std::string_view group);

}  // namespace coppice::backends
