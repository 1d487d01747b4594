#pragma once

#include <string>

#include "api/resource.h"
#include "backends/framework/config.h"
#include "backends/model/capabilities.h"

namespace coppice::backends::workload {

// The shapes that Kubernetes' gang API has had, by the release that brought them.
enum class ApiShape { kNone, k135, k136, k137 };

// What is used of a cluster's gang API.
struct ApiChoice {
  ApiShape shape = ApiShape::kNone;
  api::Resource workloads;
  api::Resource pod_groups;
  api::Resource composites;
  bool has_composites = false;
  bool has_topology = false;    // schedulingConstraints survive.
  bool has_disruption = false;  // disruptionMode and priority survive.
  bool has_claims = false;      // resourceClaims survive: pods may use claim templates.
  bool has_pod_field = false;   // Pods keep their reference.
};

api::Resource Workloads(const std::string& version);
api::Resource PodGroups(const std::string& version);
api::Resource CompositePodGroups();

// The version pinned in the profile (`config.apiVersion`), else the newest that is served whole.
ApiChoice ChooseApi(const Capabilities& capabilities, const Profile& profile);

// What offline rendering takes a release ("1.35", "1.36", "1.37", "1.37+CPG") to serve.
Capabilities ReleaseCapabilities(const std::string& release);

}  // namespace coppice::backends::workload
