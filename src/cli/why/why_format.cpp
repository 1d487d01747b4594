#include "cli/why/why_format.h"

#include <fmt/format.h>

#include <map>

#include "cli/common/output.h"

namespace coppice::cli {
namespace {

using json::Value;

// "free 4 GPUs on a" as a condition: "4 GPUs on a come free".
std::string WhenText(const Value& change) {
  const std::string_view kind = change["kind"].AsString(), where = change["where"].AsString();
  std::string_view text = change["text"].AsString();
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

std::string VerdictText(const Value& answer) {
  const std::string_view verdict = answer["verdict"].AsString();
  if (verdict == "Runs") {
    return answer["reason"].AsString() == "Completed" ? "has completed" : "runs";
  }
  if (verdict == "Placeable") return "will run in the next scheduling cycle";
  if (verdict == "NeedsAction") return "waits for a person";
  if (verdict == "Never") return "can never run here";
  std::string when;
  for (const Value& change : answer["changes"].Items()) {
    const std::string part = WhenText(change);
    if (part.empty()) return "waits, and will run by itself";
    when += (when.empty() ? "" : " and ") + part;
  }
  return when.empty() ? "waits, and will run by itself" : "will run when " + when;
}

std::string Indented(const Value& message) {
  return fmt::format("{}", fmt::join(MessageLines(message.AsString()), "\n            "));
}

// The scheduler's messages may have several lines, and many begin with their reason.
std::string ReasonText(const Value& answer) {
  const bool told = !answer["summary"].AsString().empty();
  const std::string reason = answer["reason"].ToString();
  const std::string text = Indented(told ? answer["summary"] : answer["message"]);
  return text.starts_with(reason + ": ") ? text : fmt::format("{}: {}", reason, text);
}

std::string FactText(std::string_view name, double number) {
  static const std::map<std::string_view, std::string_view> kFacts = {
      {"requestedGpus", "GPUs asked for"},
      {"freeGpus", "GPUs free"},
      {"totalGpus", "GPUs in the cluster"},
      {"largestFreeNode", "GPUs free on one node at most"},
      {"largestPod", "GPUs for the largest pod"},
      {"pods", "pods to be placed"},
      {"podsThatFit", "pods that fit now"},
      {"largestDomainGpus", "GPUs in the largest domain"},
      {"largestDomainPods", "pods that fit there"},
  };
  const auto known = kFacts.find(name);
  if (known != kFacts.end()) {
    std::string text(known->second);
    if (number == 1) text.erase(text.find('s'), 1);  // "GPUs", "pods".
    return fmt::format("{} {}", Number(number), text);
  }
  if (name.starts_with("requestedDevices ")) {
    return fmt::format("{} devices of {} asked for", Number(number), name.substr(17));
  }
  if (name.starts_with("freeDevices ")) {
    return fmt::format("{} devices of {} free", Number(number), name.substr(12));
  }
  return "";
}

std::string ChangesText(const Value& changes) {
  if (changes.empty()) return "";
  if (changes.size() == 1) return fmt::format("  change    {}\n", changes.At(0)["text"].AsString());
  std::string out = "  change    all of these together:\n";
  for (const Value& change : changes.Items()) {
    out += fmt::format("            - {}\n", change["text"].AsString());
  }
  return out;
}

std::string AnswerText(const Value& answer) {
  const std::string summary = answer["summary"].ToString(), message = answer["message"].ToString();
  std::string out = fmt::format("{}: {}\n", answer["group"].AsString(), VerdictText(answer));
  out += fmt::format("  reason    {}\n", ReasonText(answer));
  out += ChangesText(answer["changes"]);
  const bool repeated = summary.empty() || message == summary;
  if (!message.empty() && !repeated) {
    out += fmt::format("  scheduler {}\n", Indented(answer["message"]));
  }
  for (const json::Member& fact : answer["evidence"].Members()) {
    const std::string text = FactText(fact.name(), fact.value.AsDouble());
    if (!text.empty()) out += fmt::format("  evidence  {}\n", text);
  }
  for (const json::Member& node : answer["nodes"].Members()) {
    out += fmt::format("  nodes     {} × {}\n", node.value.AsInt(), node.name());
  }
  return out;
}

}  // namespace

Value ExplanationJson(const engine::Explanation& explanation) {
  Value nodes = Value::Object(), evidence = Value::Object(), changes = Value::Array();
  for (const auto& [reason, count] : explanation.nodes) nodes.Set(reason, count);
  for (const auto& [name, number] : explanation.evidence) evidence.Set(name, number);
  for (const auto& change : explanation.changes) {
    changes.Append(Value::Object({{"kind", change.kind},
                                  {"where", change.where},
                                  {"amount", change.amount},
                                  {"resource", change.resource},
                                  {"text", change.text}}));
  }
  return Value::Object({{"group", explanation.group.namespace_name + "/" + explanation.group.name},
                        {"verdict", engine::ToString(explanation.verdict)},
                        {"reason", explanation.reason},
                        {"summary", explanation.summary},
                        {"message", explanation.message},
                        {"nodes", std::move(nodes)},
                        {"evidence", std::move(evidence)},
                        {"domain", explanation.domain},
                        {"largestDomain", explanation.largest_domain},
                        {"changes", std::move(changes)}});
}

std::string FormatWhy(const Value& answers) {
  if (answers.empty()) return "the scheduler knows no gang of it yet\n";
  std::string out;
  for (const Value& answer : answers.Items()) out += AnswerText(answer);
  return out;
}

}  // namespace coppice::cli
