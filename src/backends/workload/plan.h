#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/framework/backend.h"
#include "backends/framework/ladder.h"
#include "backends/workload/api_choice.h"

namespace coppice::backends::workload {

// How a gang maps to groups of the Kubernetes API.
enum class Mode {
  kSimple,     // One role, one group.
  kComposite,  // A tree of groups: expresses everything.
  kFused,      // The minimum of all roles as one group; the remaining pods are surplus.
  kSplit,      // One group per role, with no link between them.
};

// One schedulable group of pods.
struct Group {
  std::string name;           // The name of the PodGroup.
  std::string template_name;  // The name of its template; equal groups share one.
  int64_t min_count = 0;      // 0: not a gang; pods are scheduled one by one.
  std::string topology_key;   // The key of a required level; "" if none.
  std::string parent;         // A CompositePodGroup; "" if none.
  std::vector<std::string> roles;
};

// A group of groups.
struct Composite {
  std::string name;
  std::string template_name;
  std::string topology_key;
  std::string parent;  // "" for the root.
  int64_t min_groups = 0;
};

// The layout of one gang. Names are final, so that pods can be marked before any object exists.
struct Plan {
  ApiChoice api;
  Mode mode = Mode::kFused;
  TopologyPlan topology;
  std::optional<Refusal> refusal;
  std::string workload;               // Name of the Workload.
  std::string priority_class;         // Of every group and pod; "" if none.
  std::vector<Composite> composites;  // Parents before children.
  std::vector<Group> groups;

  // The group that a role's pods belong to, or null.
  const Group* GroupOf(std::string_view role) const;
};

Plan MakePlan(const GangInput& input);

// The minimum of a role in terms of this API: a released minimum is kept (before 1.37) or becomes
// 1.
int64_t EffectiveMinimum(const ApiChoice& api, const PodGroupInfo& group);

inline constexpr size_t kMaxTemplates = 8;

}  // namespace coppice::backends::workload
