#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/framework/backend.h"
#include "backends/framework/ladder.h"
#include "backends/workload/api_choice.h"

namespace coppice::backends::workload {

// How a gang is laid out on groups of the Kubernetes API.
enum class Mode {
  kSimple,     // One role, one group.
  kComposite,  // A tree of groups: says everything.
  kFused,      // The minimum of all roles as one group; pods beyond it are surplus.
  kSplit,      // One group per role; nothing holds them together.
};

// One schedulable group of pods.
struct Group {
  std::string name;           // Of the PodGroup object.
  std::string template_name;  // Of its template; equal ones share it.
  int64_t min_count = 0;      // 0: no gang, pods go one by one.
  std::string topology_key;   // Of a required level; "" without.
  std::string parent;         // CompositePodGroup; "" without.
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

// Where everything of one gang goes. Names are final, so that pods can be marked before any object
// exists.
struct Plan {
  ApiChoice api;
  Mode mode = Mode::kFused;
  TopologyPlan topology;
  std::optional<Refusal> refusal;
  std::string workload;               // Name of the Workload.
  std::string priority_class;         // Of every group and pod; "" without.
  std::vector<Composite> composites;  // Parents before children.
  std::vector<Group> groups;

  // The group that a role's pods belong to, or null.
  const Group* GroupOf(std::string_view role) const;
};

Plan MakePlan(const GangInput& input);

// The minimum of a role as this API can keep it: a released one stays (before 1.37), or becomes 1.
int64_t EffectiveMinimum(const ApiChoice& api, const PodGroupInfo& group);

inline constexpr size_t kMaxTemplates = 8;

}  // namespace coppice::backends::workload
