#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kai/names.h"
#include "base/result.h"
#include "json/value.h"
#include "services/grouper/groups/lookup.h"
#include "services/grouper/groups/metadata.h"
#include "services/grouper/groups/type_defaults.h"

namespace coppice::services::grouper {

struct Options {
  std::string scheduler_name = "kai-scheduler";
  std::string queue_label_key{api::kai::names::kQueueLabel};
  std::string node_pool_label_key{api::kai::names::kNodePoolLabel};  // Empty: not propagated.
  std::string pod_label_selector;                                     // "k=v,k2=v2".
  std::string namespace_label_selector;
  bool knative_gang_schedule = true;
  bool karta_fallback = true;
  bool search_legacy_groups = true;
  std::string defaults_config_map;  // Used when both are given.
  std::string defaults_config_map_namespace;
  int workers = 10;
};

// What a grouper may use besides its input.
struct Context {
  const Options& options;
  const TypeDefaults& defaults;
  Lookup& lookup;
};

// A pod with its owners, nearest first; the last of them is the top owner. Owners other than the
// top one have only their metadata. A pod without owners is its own top owner, with an empty list.
struct Workload {
  json::Value pod;
  json::Value top_owner;
  std::vector<json::Value> owners;
};

// Computes a pod's PodGroup from the workload it belongs to. Pure except for the look-ups.
using Grouper = base::Result<Metadata> (*)(const Context& context, const Workload& workload);

// The grouper of a kind: an exact match of group, version and kind, else group and kind; null when
// the kind is unknown.
Grouper FindGrouper(std::string_view api_version, std::string_view kind);
// By upstream's name of the handler: of its type ("K8sJob", "K8sJobGrouper"), its own ("BatchJob
// Grouper"), or the kind that it serves; null when unknown.
Grouper FindGrouperByName(std::string_view name);

// Of the whole table: picks the grouper by the top owner's kind.
base::Result<Metadata> Group(const Context& context, const Workload& workload);

}  // namespace coppice::services::grouper
