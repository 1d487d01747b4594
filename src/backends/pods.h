#pragma once

#include <string>
#include <string_view>

#include "backends/backend.h"

// Small things that every backend does to pods and names.
namespace coppice::backends {

inline void SetLabel(json::Value& object, std::string_view key, const json::Value& value) {
  object.Mutable("metadata").Mutable("labels").Set(key, value);
}
inline void SetAnnotation(json::Value& object, std::string_view key, const json::Value& value) {
  object.Mutable("metadata").Mutable("annotations").Set(key, value);
}

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
bool IsBound(const json::Value& pod);
bool IsReady(const json::Value& pod);

// The group of a slot; kInvalid when the gang has none of that name.
base::Result<const PodGroupInfo*> FindGroup(const GangInput& input, const PodSlot& slot);

// The name for an object of the gang: `wanted`; the name of the one object of this kind that the
// gang already owns, when `adopt`; or, where a stranger has the wanted name, a second choice with
// the gang's uid. kAlreadyExists when that is taken too; kUnavailable while an object is there
// still that was made for a gang of this name which is gone.
base::Result<std::string> ChooseName(const GangInput& input, const api::Resource& resource,
                                     const std::string& wanted, bool adopt);

// What most of the gang's bound pods say in an annotation; "" when none does. A gang that is made
// anew under pods that run goes on with the name that they know.
std::string AnnotationOfBoundPods(const GangInput& input, std::string_view key);

// Adds a preference for the nodes that the pods of the same role had in the gang that
// reuseReservationRef names. Nothing when that gang is gone, foreign, or left no trace.
void PreferFormerNodes(const GangInput& input, const PodGroupInfo& group, json::Value& pod_spec);

// A nodeSelector that keeps a pod of `group` in the domains which the gang's bound pods already
// have, for every required level that covers it.
json::Value DomainPin(const GangInput& input, std::string_view group);

}  // namespace coppice::backends
