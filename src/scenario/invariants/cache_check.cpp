#include "scenario/invariants/cache_check.h"

#include <fmt/format.h>

#include "api/well_known.h"
#include "kube/object.h"

namespace coppice::scenario {
namespace {

using json::Value;

void CheckInformer(const std::vector<Value>& objects, const kube::Informer& informer,
                   Violations& out) {
  const std::string& kind = informer.resource().kind;
  if (informer.size() != objects.size()) {
    out.push_back(fmt::format("the cache has {} objects of kind {}, the API {}", informer.size(),
                              kind, objects.size()));
  }
  for (const Value& object : objects) {
    const auto cached = informer.Get(kube::KeyOf(object));
    if (cached && kube::ResourceVersion(*cached) == kube::ResourceVersion(object)) continue;
    out.push_back(fmt::format(
        "the cache shows {} {} as of {}, the API as of {}", kind, kube::KeyOf(object).ToString(),
        cached ? kube::ResourceVersion(*cached) : "never", kube::ResourceVersion(object)));
  }
}

}  // namespace

void CheckCache(const World& world, kube::Cache& cache, Violations& out) {
  CheckInformer(world.pods, cache.InformerFor(api::kPods), out);
  CheckInformer(world.nodes, cache.InformerFor(api::kNodes), out);
  CheckInformer(world.queues, cache.InformerFor(api::kQueues), out);
  CheckInformer(world.groups, cache.InformerFor(api::kPodGroups), out);
  CheckInformer(world.bind_requests, cache.InformerFor(api::kBindRequests), out);
}

}  // namespace coppice::scenario
