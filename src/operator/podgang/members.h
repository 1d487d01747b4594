#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/grove/pod_clique_set.h"
#include "backends/gang_info.h"
#include "json/value.h"
#include "operator/common/context.h"

namespace coppice::operators::podgang {

// The live pods of a set, by the PodClique that owns them.
class Members {
 public:
  static Members Read(const Context& context, const api::grove::PodCliqueSet& set);

  // References the pods that belong to each group of the gang, sorted by name.
  void AddReferences(backends::PodGangInfo& gang) const;
  // True when every clique of the gang exists with all its pods, each labelled as the gang's.
  bool Complete(const Context& context, const backends::PodGangInfo& gang) const;

 private:
  std::map<std::string, std::vector<json::Value>, std::less<>> by_clique_;
};

}  // namespace coppice::operators::podgang
