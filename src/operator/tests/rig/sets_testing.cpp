#include "operator/tests/rig/sets_testing.h"

#include <fmt/format.h>

#include <set>

#include "api/well_known.h"
#include "kube/object.h"
#include "operator/podclique/pod_facts.h"

namespace coppice::operators {

World::Options GroveWorld(uint64_t seed) {
  World::Options options = DefaultWorld(seed);
  options.config.backends.policy = &backends::CompatibilityPolicy::Grove();
  return options;
}

World::Options DefaultWorld(uint64_t seed) {
  World::Options options;
  options.seed = seed;
  options.config.backends.profiles = {{.name = "default-scheduler", .backend = "default"}};
  return options;
}

std::string SmallSet(const std::string& image, int replicas, const std::string& strategy) {
  return fmt::format(R"(
apiVersion: grove.io/v1alpha1
kind: PodCliqueSet
metadata: {{name: demo}}
spec:
  replicas: {1}
  updateStrategy: {{type: {2}}}
  template:
    terminationDelay: 10s
    cliques:
    - {{name: fe, spec: {{roleName: fe, replicas: 2, minAvailable: 1, podSpec: {{containers: [{{name: c, image: "{0}"}}]}}}}}}
    - {{name: ld, spec: {{roleName: ld, replicas: 1, minAvailable: 1, podSpec: {{containers: [{{name: c, image: "{0}"}}]}}}}}}
    - {{name: wk, spec: {{roleName: wk, replicas: 2, minAvailable: 2, podSpec: {{containers: [{{name: c, image: "{0}"}}]}}}}}}
    podCliqueScalingGroups: [{{name: g, cliqueNames: [ld, wk], replicas: 2, minAvailable: 1}}]
)",
                     image, replicas, strategy);
}

std::string ImagePatch(const std::string& image) {
  const auto clique = [&](const std::string& name, int replicas, int minimum) {
    return fmt::format(
        "{{name: {0}, spec: {{roleName: {0}, replicas: {1}, minAvailable: {2}, "
        "podSpec: {{containers: [{{name: c, image: \"{3}\"}}]}}}}}}",
        name, replicas, minimum, image);
  };
  return fmt::format("{{spec: {{template: {{cliques: [{}, {}, {}]}}}}}}", clique("fe", 2, 1),
                     clique("ld", 1, 1), clique("wk", 2, 2));
}

int PodsWithImage(World& world, const std::string& image) {
  int count = 0;
  for (const json::Value& pod : world.List(api::kPods)) {
    count += pod["spec"]["containers"].At(0)["image"].AsString() == image && !kube::IsDeleting(pod);
  }
  return count;
}

std::string BrokenPods(World& world) {
  std::set<std::string> hostnames;
  for (const json::Value& pod : world.List(api::kPods)) {
    if (!podclique::IsActive(pod)) continue;
    if (!hostnames.insert(pod["spec"]["hostname"].ToString()).second) {
      return fmt::format("two pods are called {}", pod["spec"]["hostname"].AsString());
    }
    if (podclique::IsGated(pod) && !pod["spec"]["nodeName"].AsString().empty()) {
      return fmt::format("pod {} is bound and gated", kube::Name(pod));
    }
  }
  return "";
}

}  // namespace coppice::operators
