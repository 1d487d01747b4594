#pragma once

#include "api/key/grove.h"
#include "api/view/grove.h"
#include "api/view/meta.h"
#include "kube/cache/cache.h"
#include "kube/object.h"

// What an update changed, for the predicates of watches. Only for changes of type kUpdated; others
// have no old object.
namespace coppice::operators {

inline bool GenerationChanged(const kube::Change& change) {
  return kube::Generation(change.old_object) != kube::Generation(change.object);
}

inline bool DeletionChanged(const kube::Change& change) {
  return kube::IsDeleting(change.old_object) != kube::IsDeleting(change.object);
}

inline bool LabelsChanged(const kube::Change& change) {
  using Object = view::meta::PartialObjectMetadata;
  return Object(change.old_object).metadata().labels().Json() !=
         Object(change.object).metadata().labels().Json();
}

inline bool AnnotationsChanged(const kube::Change& change) {
  using Object = view::meta::PartialObjectMetadata;
  return Object(change.old_object).metadata().annotations().Json() !=
         Object(change.object).metadata().annotations().Json();
}

// For any kind, because all kinds name the field `status`.
inline bool StatusChanged(const kube::Change& change) {
  using Key = key::grove::PodClique;
  return change.old_object[Key::status] != change.object[Key::status];
}

// Whether a PodCliqueSet has a new template, or updates other replicas.
inline bool UpdateChanged(const kube::Change& change) {
  const auto before = view::grove::PodCliqueSet(change.old_object).status();
  const auto after = view::grove::PodCliqueSet(change.object).status();
  return before.currentGenerationHash() != after.currentGenerationHash() ||
         before.updateProgress().currentlyUpdating().Json() !=
             after.updateProgress().currentlyUpdating().Json();
}

}  // namespace coppice::operators
