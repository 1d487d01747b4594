#pragma once

#include "api/edit/meta.h"
#include "api/view/meta.h"

namespace coppice::services::workloads {

// Copies metadata from a template to the object created from it.
inline void CopyLabelsAndAnnotations(view::meta::ObjectMeta from, edit::meta::ObjectMeta to) {
  if (from.has_labels()) to.set_labels(from.labels().Json());
  if (from.has_annotations()) to.set_annotations(from.annotations().Json());
}

}  // namespace coppice::services::workloads
