#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/common/find_object.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace coppice::cli {

// An object and what belongs to it: the scaling groups, cliques, gangs, PodGroups and pods of a
// set, the pods and PodGroups of a Job.
struct RelatedObjects {
  std::vector<json::Value> objects;
  std::set<std::string, std::less<>> uids;
  // Pods that are gone had names that start like this.
  std::vector<std::string> pod_prefixes;

  bool Contains(std::string_view uid, std::string_view kind, std::string_view name) const;
};

base::Result<RelatedObjects> FindRelated(kube::Client& client, const FoundObject& found);

}  // namespace coppice::cli
