#include "engine/model/explanation.h"

#include <fmt/format.h>

namespace coppice::engine {

std::string_view ToString(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRuns:
      return "Runs";
    case Verdict::kPlaceable:
      return "Placeable";
    case Verdict::kWaits:
      return "Waits";
    case Verdict::kNeedsAction:
      return "NeedsAction";
    case Verdict::kNever:
      return "Never";
  }
  return "Waits";
}

Explanation::Change ToCreate(const std::string& kind, const std::string& name) {
  return {"create", name, 1, kind, fmt::format("create {} `{}`", kind, name)};
}

}  // namespace coppice::engine
