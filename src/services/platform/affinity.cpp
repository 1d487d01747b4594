#include "services/platform/affinity.h"

namespace coppice::services::platform {
namespace {

using json::Value;

Value ApartByHost(std::string_view app) {
  return Value::Object(
      {{"topologyKey", "kubernetes.io/hostname"},
       {"labelSelector", Value::Object({{"matchLabels", Value::Object({{"app", app}})}})}});
}

Value DefaultAntiAffinity(std::string_view app, bool required) {
  Value anti = Value::Object(
      {{"preferredDuringSchedulingIgnoredDuringExecution",
        Value::Array({Value::Object({{"weight", 100}, {"podAffinityTerm", ApartByHost(app)}})})}});
  if (required) {
    anti.Set("requiredDuringSchedulingIgnoredDuringExecution", Value::Array({ApartByHost(app)}));
  }
  return anti;
}

}  // namespace

Value AffinityOf(std::string_view app, const Value& own, const Value& global) {
  const Value& shared = global["affinity"];
  Value affinity = Value::Object();
  for (const char* part : {"nodeAffinity", "podAffinity", "podAntiAffinity"}) {
    if (own.Has(part)) {
      affinity.Set(part, own[part]);
    } else if (shared.Has(part)) {
      affinity.Set(part, shared[part]);
    }
  }
  // An affinity given in one place alone is taken as it is.
  const bool given_once = own.empty() != shared.empty();
  const bool required = global["requireDefaultPodAntiAffinityTerm"].AsBool();
  if (affinity.Has("podAntiAffinity") || (given_once && !required)) return affinity;
  return affinity.Set("podAntiAffinity", DefaultAntiAffinity(app, required));
}

}  // namespace coppice::services::platform
