#pragma once

#include <string>

#include "api/resource.h"
#include "backends/framework/config.h"
#include "backends/model/capabilities.h"

namespace coppice::backends::workload {

// The shapes of Kubernetes' gang API, by the release that introduced them.
enum class ApiShape { kNone, k135, k136, k137 };

// The parts of a cluster's gang API that we use.
struct ApiChoice {
  ApiShape shape = ApiShape::kNone;
  api::Resource workloads;
  api::Resource pod_groups;
  api::Resource composites;
  bool has_composites = false;
  bool has_topology = false;    // schedulingConstraints survive.
  bool has_disruption = false;  // disruptionMode and priority survive.
  bool has_claims = false;      // resourceClaims survive: pods may use claim templates.
  bool has_pod_field = false;   // Pods keep their group reference.
};

api::Resource Workloads(const std::string& version);
api::Resource PodGroups(const std::string& version);
api::Resource CompositePodGroups();

// The version pinned in the profile (`config.apiVersion`), else the newest one that is served
// completely.
ApiChoice ChooseApi(const Capabilities& capabilities, const Profile& profile);

// What offline rendering assumes that a release ("1.35", "1.36", "1.37", "1.37+CPG") serves.
Capabilities ReleaseCapabilities(const std::string& release);

}  // namespace coppice::backends::workload
