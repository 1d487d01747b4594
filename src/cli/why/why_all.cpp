#include "cli/why/why_all.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "api/edit/answers.h"
#include "api/labels.h"
#include "api/view/answers.h"
#include "cli/common/read_once_client.h"
#include "cli/text/age.h"
#include "cli/text/progress.h"
#include "cli/why/why_failures.h"
#include "cli/why/why_format.h"
#include "cli/why/why_reader.h"
#include "cli/why/why_waiting.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;

struct Entry {
  Explanation said;
  Value document;
};

Entry MakeEntry(Explanation said, const WaitingTarget& waiting) {
  Entry entry{std::move(said), {}};
  entry.document = ExplanationJson(entry.said);
  edit::answers::Explanation(entry.document)
      .set_namespace_(waiting.target.group.ns)
      .set_name(waiting.name)
      .set_queue(waiting.queue)
      .set_since(waiting.since)
      .set_pods(waiting.pods);
  return entry;
}

// The worst first, then the reasons that concern most, then the oldest.
void SortEntries(std::vector<Entry>& entries) {
  std::map<std::pair<Verdict, std::string>, int> counts;
  for (const Entry& each : entries) ++counts[{each.said.verdict, each.said.reason}];
  const auto rank = [&](const Entry& entry) {
    const view::answers::Explanation shown(entry.document);
    return std::make_tuple(-static_cast<int>(entry.said.verdict),
                           -counts.at({entry.said.verdict, entry.said.reason}), entry.said.reason,
                           std::string(shown.since()), std::string(shown.name()));
  };
  std::sort(entries.begin(), entries.end(),
            [&](const Entry& a, const Entry& b) { return rank(a) < rank(b); });
}

// Sets whose pods the API server rejects, and the gangs that this already explains.
base::Result<std::set<api::ObjectKey>> AddFailures(kube::Client& client,
                                                   const WhyAllOptions& options,
                                                   std::vector<Entry>& entries) {
  COPPICE_ASSIGN(const auto sets, FindFailingSets(client, options.ns, options.selector));
  std::set<api::ObjectKey> explained;
  for (const api::ObjectKey& set : sets) {
    COPPICE_ASSIGN(auto failures, FindFailures(client, set.ns, "set/" + set.name, {}));
    for (Explanation& failure : failures) {
      WaitingTarget waiting;
      waiting.target.group.ns = set.ns;
      waiting.name = "set/" + set.name;
      entries.push_back(MakeEntry(std::move(failure), waiting));
      explained.insert(set);
    }
  }
  return explained;
}

api::ObjectKey SetOf(const WhyTarget& target) {
  return {target.group.ns, std::string(kube::Label(target.gang, api::labels::kPartOf))};
}

// The first change, which is what to do; the reason if no change is known.
std::string Remedy(view::answers::Explanation answer) {
  const auto changes = IsForPeople(answer) ? answer.alternative() : answer.changes();
  if (changes.empty()) return "";
  std::string text(changes.At(0).text());
  if (changes.size() > 1) text += fmt::format(" (and {} more)", changes.size() - 1);
  return text;
}

std::string LineText(view::answers::Explanation answer) {
  const std::string_view summary = answer.summary().empty() ? answer.message() : answer.summary();
  const std::string remedy = Remedy(answer);
  return remedy.empty() ? std::string(summary) : fmt::format("{} → {}", summary, remedy);
}

std::string HeadText(view::answers::Explanation answer, size_t count) {
  const std::string_view verdict = answer.verdict();
  const bool one = count == 1;
  std::string_view words =
      one ? "waits, and will run by itself" : "wait, and will run by themselves";
  if (verdict == "Never") words = "can never run here";
  if (verdict == "NeedsAction") words = one ? "waits for a person" : "wait for a person";
  if (verdict == "Placeable") words = "will run in the next scheduling cycle";
  return fmt::format("{}: {} {}", answer.reason(), count, words);
}

Colour ColourOf(std::string_view verdict) {
  if (verdict == "Never") return Colour::kBad;
  return verdict == "NeedsAction" ? Colour::kBusy : Colour::kStrong;
}

// The rows of one reason, below its head.
class Section {
 public:
  Section(std::string head, bool namespaces) : head_(std::move(head)), namespaces_(namespaces) {}

  void Add(view::answers::Explanation answer, base::Time now) {
    std::vector<std::string> row = {fmt::format("  {}", answer.name(answer.object()))};
    if (namespaces_) row.insert(row.begin(), fmt::format("  {}", answer.namespace_()));
    if (namespaces_) row[1].erase(0, 2);
    row.push_back(AgeOf(answer.since(), now));
    row.push_back(LineText(answer));
    rows_.push_back(std::move(row));
  }

  std::string Text(size_t width) const { return head_ + "\n" + AlignColumns(rows_, width); }

 private:
  const std::string head_;
  const bool namespaces_;
  std::vector<std::vector<std::string>> rows_;
};

bool HasSeveralNamespaces(const Value& list) {
  std::set<std::string, std::less<>> names;
  for (const Value& each : list.Items()) {
    names.emplace(view::answers::Explanation(each).namespace_());
  }
  return names.size() > 1;
}

}  // namespace

base::Result<Value> ReadWhyAll(kube::Client& client, kube::Executor& executor,
                               const WhyAllOptions& options, const WhyWait& wait) {
  ReadOnceClient once(client);
  Progress progress("explaining");
  std::vector<Entry> entries;
  COPPICE_ASSIGN(const auto failing, AddFailures(once, options, entries));
  COPPICE_ASSIGN(const auto waiting, FindWaiting(once, options.ns, options.selector));
  WhyReader reader(once, executor, wait);
  for (size_t i = 0; i < waiting.size(); ++i) {
    progress.Show(i + 1, waiting.size());
    COPPICE_ASSIGN(Explanation said, reader.Explain(waiting[i].target));
    const bool told = failing.contains(SetOf(waiting[i].target)) && said.reason == "NotReady";
    if (said.verdict == Verdict::kRuns || told) continue;
    entries.push_back(MakeEntry(std::move(said), waiting[i]));
  }
  SortEntries(entries);
  Value answers = Value::Array();
  for (Entry& entry : entries) answers.Append(std::move(entry.document));
  return answers;
}

std::string FormatWhyAll(const Value& list, const TextOptions& options) {
  if (list.empty()) return "nothing waits\n";
  const Terminal& terminal = options.terminal;
  const bool namespaces = HasSeveralNamespaces(list);
  std::string out;
  for (size_t i = 0; i < list.size();) {
    const view::answers::Explanation first(list.At(i));
    size_t end = i;
    const auto same = [&](view::answers::Explanation other) {
      return other.verdict() == first.verdict() && other.reason() == first.reason();
    };
    while (end < list.size() && same(view::answers::Explanation(list.At(end)))) ++end;
    Section section(Paint(terminal, ColourOf(first.verdict()), HeadText(first, end - i)),
                    namespaces);
    for (; i < end; ++i) section.Add(view::answers::Explanation(list.At(i)), options.now);
    out += section.Text(options.Width());
  }
  if (terminal.is_terminal) out += "coppice why NAME says more about one of them\n";
  return out;
}

std::vector<std::string> NamesOfWaiting(const Value& list) {
  std::vector<std::string> names;
  for (const Value& each : list.Items()) {
    const view::answers::Explanation answer(each);
    names.emplace_back(answer.name(answer.object()));
  }
  return names;
}

}  // namespace coppice::cli
