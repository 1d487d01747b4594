#pragma once

#include "api/selectors/field_selector.h"
#include "api/selectors/label_selector.h"
#include "base/result.h"
#include "server/model/registry.h"

namespace coppice::server {

// The objects of a resource that a list or a watch selects.
struct Selection {
  std::string prefix;  // Of stored names.
  api::LabelSelector labels;
  api::FieldSelector fields;

  static base::Result<Selection> Parse(const ServedResource& served, const std::string& ns,
                                       const std::string& labels, const std::string& fields);
  bool MatchesEverything() const {
    return labels.MatchesEverything() && fields.MatchesEverything();
  }
  bool Matches(const json::Value& object) const {
    return labels.MatchesObject(object) && fields.Matches(object);
  }
};

}  // namespace coppice::server
