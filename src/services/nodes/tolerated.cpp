#include "services/nodes/tolerated.h"

#include <algorithm>

#include "api/view/core.h"

namespace coppice::services::nodes {
namespace {

using view::core::Taint;
using view::core::Toleration;
using Tolerations = view::List<Toleration>;

bool Matches(Toleration toleration, Taint taint) {
  if (!toleration.effect().empty() && toleration.effect() != taint.effect()) return false;
  if (!toleration.key().empty() && toleration.key() != taint.key()) return false;
  return toleration.operator_("Equal") == "Exists" || toleration.value() == taint.value();
}

// As ToleratedFor, for one taint.
std::optional<base::Duration> LimitFor(Tolerations tolerations, Taint taint) {
  bool tolerates = false;
  std::optional<base::Duration> shortest;
  for (const Toleration toleration : tolerations) {
    if (!Matches(toleration, taint)) continue;
    tolerates = true;
    if (!toleration.has_tolerationSeconds()) continue;
    const base::Duration limit =
        std::chrono::seconds(std::max<int64_t>(toleration.tolerationSeconds(), 0));
    shortest = shortest ? std::min(*shortest, limit) : limit;
  }
  return tolerates ? shortest : base::Duration::zero();
}

}  // namespace

std::optional<base::Duration> ToleratedFor(const json::Value& pod, const json::Value& node) {
  const Tolerations tolerations = view::core::Pod(pod).spec().tolerations();
  std::optional<base::Duration> shortest;
  for (const Taint taint : view::core::Node(node).spec().taints()) {
    if (taint.effect() != "NoExecute") continue;
    const auto limit = LimitFor(tolerations, taint);
    if (limit) shortest = shortest ? std::min(*shortest, *limit) : *limit;
  }
  return shortest;
}

}  // namespace coppice::services::nodes
