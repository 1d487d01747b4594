#include <fmt/format.h>

#include <map>

#include "api/view/answers.h"
#include "cli/answers/what_if.h"
#include "cli/why/why_format.h"

namespace coppice::cli {
namespace {

using json::Value;
using namespace view::answers;

constexpr int kMostLines = 20;  // Of evicted pods.

std::string PodsText(int64_t count) { return count == 1 ? "1 pod" : fmt::format("{} pods", count); }

// "n1 (2), n2".
std::string NodeNamesText(WhatIfGroup group) {
  std::map<std::string, int> nodes;
  for (const WhatIfPlace place : group.pods()) {
    if (!place.node().empty()) ++nodes[std::string(place.node())];
  }
  std::vector<std::string> texts;
  for (const auto& [node, count] : nodes) {
    texts.push_back(count == 1 ? node : fmt::format("{} ({})", node, count));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string SubmittedText(WhatIfGroup group) {
  if (!group.runs()) {
    std::string text = fmt::format("{} would not run\n", group.group());
    if (group.has_why()) text += FormatWhy(Value::Array({group.why().Json()}));
    return text;
  }
  int64_t placed = 0, all = 0;
  for (const WhatIfPlace place : group.pods()) {
    ++all;
    placed += !place.node().empty();
  }
  const char* when = group.waitsForOthers() ? "once others have made room" : "now";
  std::string text = fmt::format("{} would run {}: {} on {}\n", group.group(), when,
                                 PodsText(placed), NodeNamesText(group));
  if (placed < all)
    text += fmt::format("  waiting   {} beyond its minimum\n", PodsText(all - placed));
  return text;
}

std::string EvictedText(WhatIf answer) {
  std::string text;
  int lines = 0;
  for (const WhatIfEviction evicted : answer.evicted()) {
    if (++lines > kMostLines) continue;
    const std::string then =
        evicted.again().empty() ? "then waits" : fmt::format("runs again on {}", evicted.again());
    text += fmt::format("evicted   {} from {}, {}: {}\n", evicted.pod(), evicted.node(), then,
                        evicted.why());
  }
  if (lines > kMostLines) {
    text += fmt::format("evicted   … and {} more; -o json lists all\n", lines - kMostLines);
  }
  return text;
}

std::string DifferenceText(const char* what, WhatIfDifference difference) {
  return fmt::format("{} {} (group {}): {} on nodes instead of {}{}{}\n", what, difference.object(),
                     difference.group(), PodsText(difference.with()), difference.without(),
                     difference.why().empty() ? "" : "; ", difference.why());
}

}  // namespace

std::string FormatWhatIf(const Value& document) {
  const WhatIf answer(document);
  std::string text;
  for (const WhatIfGroup group : answer.submitted()) text += SubmittedText(group);
  text += EvictedText(answer);
  for (const WhatIfDifference each : answer.delayed()) text += DifferenceText("delayed  ", each);
  for (const WhatIfDifference each : answer.sooner()) text += DifferenceText("sooner   ", each);
  const bool nothing =
      answer.evicted().empty() && answer.delayed().empty() && answer.sooner().empty();
  if (nothing) {
    text += answer.submitted().empty() ? "nothing changes\n" : "nothing else changes\n";
  }
  return text;
}

}  // namespace coppice::cli
