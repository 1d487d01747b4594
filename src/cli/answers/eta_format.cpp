#include <fmt/format.h>

#include "api/view/answers.h"
#include "cli/answers/eta.h"

namespace coppice::cli {
namespace {

using json::Value;
using view::answers::Eta;

constexpr size_t kMostAhead = 5;

// "2d 3h", "1h 20m", "45s".
std::string SpanText(base::Duration duration) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m", seconds / 60);
  if (seconds < 86400) return fmt::format("{}h {}m", seconds / 3600, seconds / 60 % 60);
  return fmt::format("{}d {}h", seconds / 86400, seconds / 3600 % 24);
}

std::string StartText(std::string_view text, base::Time now) {
  const auto time = base::ParseRfc3339(text);
  if (!time) return "unknown";
  if (*time - now < std::chrono::seconds(2)) return "in the next cycle";
  return fmt::format("{} (in {})", text, SpanText(*time - now));
}

std::string EtaHeadText(Eta eta, base::Time now) {
  if (eta.state() == "Runs") return fmt::format("{}: runs\n", eta.object());
  if (eta.state() == "NotReady") {
    return fmt::format("{}: is not in a queue yet: {}\n", eta.object(), eta.why());
  }
  if (!eta.has_p50()) return fmt::format("{}: start unknown: {}\n", eta.object(), eta.why());
  std::string text = fmt::format("{}: should start {}\n", eta.object(), StartText(eta.p50(), now));
  if (eta.p90() != eta.p50()) {
    text += fmt::format("  at worst  in nine of ten cases {}{}\n", eta.has_p90() ? "by " : "",
                        StartText(eta.p90(), now));
  }
  return text;
}

std::string AheadText(Eta eta) {
  std::string text;
  size_t count = 0;
  for (const view::answers::EtaAhead ahead : eta.ahead()) {
    if (++count > kMostAhead) continue;
    text += fmt::format("  ahead     {} (queue {}, priority {})\n", ahead.group(), ahead.queue(),
                        ahead.priority());
  }
  if (count > kMostAhead) text += fmt::format("  ahead     … and {} more\n", count - kMostAhead);
  return text;
}

std::string SourceText(view::answers::EtaEnd end) {
  if (end.source() != "similar") return std::string(end.source());
  return end.samples() == 1 ? "as 1 similar run took"
                            : fmt::format("as {} similar runs took", end.samples());
}

std::string EndsText(Eta eta, base::Time now) {
  std::string text;
  size_t count = 0;
  for (const view::answers::EtaEnd end : eta.restsOn()) {
    if (++count > kMostAhead) continue;
    text += fmt::format("  rests on  {} ends {}: {}\n", end.object(), StartText(end.end(), now),
                        SourceText(end));
  }
  if (count > kMostAhead) {
    text += fmt::format("  rests on  … and {} more ends\n", count - kMostAhead);
  }
  return text;
}

std::string UnknownText(Eta eta) {
  std::vector<std::string> names;
  for (const Value& name : eta.unknown().Json().Items()) names.emplace_back(name.AsString());
  if (names.empty()) return "";
  const size_t more = names.size() > kMostAhead ? names.size() - kMostAhead : 0;
  names.resize(names.size() - more);
  return fmt::format("  unknown   when these end: {}{}\n", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

std::string EtaText(Eta eta, base::Time now) {
  std::string text = EtaHeadText(eta, now);
  if (eta.position() > 0) {
    text += fmt::format("  place     {} of {} in queue {}, {} of {} in the cluster\n",
                        eta.queuePosition(), eta.queueLength(), eta.queue(), eta.position(),
                        eta.length());
  }
  text += AheadText(eta) + EndsText(eta, now);
  if (eta.state() == "Waits") text += UnknownText(eta);
  for (const view::answers::SimulatedProblem problem : eta.problems()) {
    text +=
        fmt::format("  ignored   {} {}: {}\n", problem.kind(), problem.name(), problem.message());
  }
  return text;
}

}  // namespace

std::string FormatEta(const Value& answers, base::Time now) {
  std::string text;
  for (const Value& answer : answers.Items()) text += EtaText(Eta(answer), now);
  return text;
}

}  // namespace coppice::cli
