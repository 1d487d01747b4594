#include "cli/why/why_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "api/view/answers.h"
#include "cli/text/output.h"
#include "cli/text/terminal.h"
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

constexpr size_t kLabelWidth = 12;  // Of "  reason    " and the like.

// A line with a label, and below it the rest of the text.
std::string Line(std::string_view label, std::string_view text, size_t width) {
  const std::string start = fmt::format("  {:<9} ", label);
  const size_t room = width > 2 * kLabelWidth ? width - kLabelWidth : 0;
  std::string out;
  for (const std::string_view line : MessageLines(text)) {
    std::string wrapped = WrapText(line, room, 0);
    for (const std::string_view each : MessageLines(wrapped)) {
      out += fmt::format("{}{}\n", out.empty() ? start : std::string(kLabelWidth, ' '), each);
    }
  }
  return out.empty() ? start + "\n" : out;
}

// The scheduler's messages may have several lines, and many start with their reason.
std::string ReasonText(answers::Explanation answer) {
  const std::string reason(answer.reason());
  const std::string text(answer.summary().empty() ? answer.message() : answer.summary());
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

std::string ChangesText(std::string_view word, view::List<answers::Change> changes, size_t width) {
  if (changes.empty()) return "";
  if (changes.size() == 1) return Line(word, changes.At(0).text(), width);
  std::string out = Line(word, "all of these together:", width);
  for (const answers::Change change : changes) {
    out += Line("", fmt::format("- {}", change.text()), width);
  }
  return out;
}

// Everything below the line that names it.
std::string BodyText(answers::Explanation answer, size_t width) {
  const std::string_view summary = answer.summary(), message = answer.message();
  std::string out = Line("reason", ReasonText(answer), width);
  if (IsForPeople(answer)) {
    out += ChangesText("change", answer.alternative(), width);
  } else {
    out += ChangesText("change", answer.changes(), width);
    out += ChangesText("or", answer.alternative(), width);
  }
  const bool repeated = summary.empty() || message == summary;
  if (!message.empty() && !repeated) out += Line("scheduler", message, width);
  for (const auto& [name, number] : answer.evidence()) {
    const std::string text = FactText(name, number);
    if (!text.empty()) out += Line("evidence", text, width);
  }
  for (const auto& [reason, count] : answer.nodes()) {
    out += Line("nodes", fmt::format("{} × {}", count, reason), width);
  }
  return out;
}

// Pods of a Deployment have a group each, and mostly wait for the same reason.
struct WhyParagraph {
  std::string head;
  std::string body;
  int more = 0;  // How many others have this body.
};

}  // namespace

bool IsForPeople(answers::Explanation answer) {
  return answer.alternative().At(0).kind() == "widenDomain";
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

std::string FormatWhy(const Value& list, size_t width) {
  if (list.empty()) return "the scheduler knows no gang of it yet\n";
  std::vector<WhyParagraph> all;
  for (const Value& item : list.Items()) {
    const answers::Explanation answer(item);
    const std::string_view object = answer.object().empty() ? answer.group() : answer.object();
    const std::string head = fmt::format("{}: {}", object, VerdictText(answer));
    std::string body = BodyText(answer, width);
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const WhyParagraph& other) { return other.body == body; });
    if (same != all.end()) {
      ++same->more;
    } else {
      all.push_back({WrapText(head, width, 2), std::move(body)});
    }
  }
  std::string out;
  for (const WhyParagraph& said : all) {
    out += fmt::format("{}\n{}", said.head, said.body);
    if (said.more > 0) out += Line("also", fmt::format("{} more like it", said.more), width);
  }
  return out;
}

}  // namespace coppice::cli
