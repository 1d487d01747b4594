#include "cli/why/why_format.h"

#include <fmt/format.h>

#include <map>

#include "api/view/answers.h"
#include "cli/common/output.h"
#include "engine/explain/evidence.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace answers = view::answers;
namespace evidence = engine::evidence;

// "free 4 GPUs on a" as a condition: "4 GPUs on a come free".
std::string WhenText(answers::Change change) {
  const std::string_view kind = change.kind(), where = change.where();
  std::string_view text = change.text();
  if (text.starts_with("free ")) {
    text.remove_prefix(5);
    return fmt::format("{} {} free", text, text.starts_with("1 ") ? "comes" : "come");
  }
  if (text.starts_with("wait until ")) return fmt::format("it is {}", text.substr(11));
  if (kind == "nodeReady") return fmt::format("{} is Ready again", where);
  if (kind == "raiseLimit" || kind == "raiseQuota") {
    return fmt::format("other work of queue {} ends", where);
  }
  return "";
}

std::string VerdictText(answers::Explanation answer) {
  const std::string_view verdict = answer.verdict();
  if (verdict == "Runs") return answer.reason() == "Completed" ? "has completed" : "runs";
  if (verdict == "Placeable") return "will run in the next scheduling cycle";
  if (verdict == "NeedsAction") return "waits for a person";
  if (verdict == "Never") return "can never run here";
  std::string when;
  for (const answers::Change change : answer.changes()) {
    const std::string part = WhenText(change);
    if (part.empty()) return "waits, and will run by itself";
    when += (when.empty() ? "" : " and ") + part;
  }
  return when.empty() ? "waits, and will run by itself" : "will run when " + when;
}

std::string Indented(std::string_view message) {
  return fmt::format("{}", fmt::join(MessageLines(message), "\n            "));
}

// The scheduler's messages may have several lines, and many start with their reason.
std::string ReasonText(answers::Explanation answer) {
  const std::string reason(answer.reason());
  const std::string text = Indented(answer.summary().empty() ? answer.message() : answer.summary());
  return text.starts_with(reason + ": ") ? text : fmt::format("{}: {}", reason, text);
}

std::string FactText(std::string_view name, double number) {
  static const std::map<std::string_view, std::string_view> kFacts = {
      {evidence::kRequestedGpus, "GPUs asked for"},
      {evidence::kFreeGpus, "GPUs free"},
      {evidence::kTotalGpus, "GPUs in the cluster"},
      {evidence::kLargestFreeNode, "GPUs free on one node at most"},
      {evidence::kLargestPod, "GPUs for the largest pod"},
      {evidence::kPods, "pods to be placed"},
      {evidence::kPodsThatFit, "pods that fit now"},
      {evidence::kLargestDomainGpus, "GPUs in the largest domain"},
      {evidence::kLargestDomainPods, "pods that fit there"},
  };
  const auto known = kFacts.find(name);
  if (known != kFacts.end()) {
    std::string text(known->second);
    if (number == 1) text.erase(text.find('s'), 1);  // "GPUs", "pods".
    return fmt::format("{} {}", Number(number), text);
  }
  if (name.starts_with(evidence::kRequestedDevices)) {
    name.remove_prefix(evidence::kRequestedDevices.size());
    return fmt::format("{} devices of {} asked for", Number(number), name);
  }
  if (name.starts_with(evidence::kFreeDevices)) {
    name.remove_prefix(evidence::kFreeDevices.size());
    return fmt::format("{} devices of {} free", Number(number), name);
  }
  return "";
}

std::string ChangesText(std::string_view word, view::List<answers::Change> changes) {
  if (changes.empty()) return "";
  if (changes.size() == 1) return fmt::format("  {:<9} {}\n", word, changes.At(0).text());
  std::string out = fmt::format("  {:<9} all of these together:\n", word);
  for (const answers::Change change : changes) {
    out += fmt::format("            - {}\n", change.text());
  }
  return out;
}

std::string AnswerText(answers::Explanation answer) {
  const std::string_view summary = answer.summary(), message = answer.message();
  const std::string_view object = answer.object().empty() ? answer.group() : answer.object();
  std::string out = fmt::format("{}: {}\n", object, VerdictText(answer));
  out += fmt::format("  reason    {}\n", ReasonText(answer));
  out += ChangesText("change", answer.changes());
  out += ChangesText("or", answer.alternative());
  const bool repeated = summary.empty() || message == summary;
  if (!message.empty() && !repeated) out += fmt::format("  scheduler {}\n", Indented(message));
  for (const auto& [name, number] : answer.evidence()) {
    const std::string text = FactText(name, number);
    if (!text.empty()) out += fmt::format("  evidence  {}\n", text);
  }
  for (const auto& [reason, count] : answer.nodes()) {
    out += fmt::format("  nodes     {} × {}\n", count, reason);
  }
  return out;
}

}  // namespace

std::string FormatWhy(const Value& list) {
  if (list.empty()) return "the scheduler knows no gang of it yet\n";
  std::string out;
  for (const Value& answer : list.Items()) out += AnswerText(answers::Explanation(answer));
  return out;
}

}  // namespace coppice::cli
