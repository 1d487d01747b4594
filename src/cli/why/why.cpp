#include "cli/why/why.h"

#include "api/edit/answers.h"
#include "api/well_known.h"
#include "cli/common/fail.h"
#include "cli/common/resource_words.h"
#include "cli/common/view_flags.h"
#include "cli/why/why_all.h"
#include "cli/why/why_failures.h"
#include "cli/why/why_format.h"
#include "cli/why/why_reader.h"
#include "cli/why/why_target.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using engine::Explanation;
using engine::Verdict;
using json::Value;

Shown WhyOfOne(const std::string& target) {
  Shown shown;
  shown.read = [target](kube::Client& client, kube::Executor& executor, const std::string& ns) {
    return ReadWhy(client, executor, ns, target);
  };
  shown.text = [](const Value& answers, const TextOptions& options) {
    return FormatWhy(answers, options.Width());
  };
  shown.names = NamesOfWaiting;
  return shown;
}

Shown WhyOfAll(const std::string& selector) {
  Shown shown;
  shown.read = [selector](kube::Client& client, kube::Executor& executor, const std::string& ns) {
    return ReadWhyAll(client, executor, {.ns = ns, .selector = selector});
  };
  shown.text = FormatWhyAll;
  shown.names = NamesOfWaiting;
  return shown;
}

// What other commands call it.
std::string NameOfTarget(const WhyTarget& target) {
  if (target.gang.IsObject()) return ResourceName(api::kPodGangs, kube::Name(target.gang));
  const std::string shown = ShownAs(target);
  return shown.empty() ? ResourceName(api::kPodGroups, target.group.name) : shown;
}

base::Result<Value> Answer(kube::Client& client, WhyReader& reader, const std::string& ns,
                           const std::string& target) {
  COPPICE_ASSIGN(const auto groups, FindGroups(client, ns, target));
  COPPICE_ASSIGN(const std::vector<Explanation> failures, FindFailures(client, ns, target, groups));
  Value answers = Value::Array();
  for (const Explanation& failure : failures) answers.Append(ExplanationJson(failure));
  for (WhyTarget each : groups) {
    if (each.group.ns.empty()) each.group.ns = ns;
    COPPICE_ASSIGN(const Explanation said, reader.Explain(each));
    // The failures already explain it: the engine sees no obstacle for pods that do not exist.
    const bool told = !failures.empty() && (said.verdict <= Verdict::kPlaceable ||
                                            said.reason == "NotReady" || each.owner.IsObject());
    if (told) continue;
    Value answer = ExplanationJson(said);
    edit::answers::Explanation(answer).set_namespace_(each.group.ns).set_name(NameOfTarget(each));
    answers.Append(std::move(answer));
  }
  return answers;
}

}  // namespace

base::Result<Value> ReadWhy(kube::Client& client, kube::Executor& executor, const std::string& ns,
                            const std::string& target, const WhyWait& wait) {
  WhyReader reader(client, executor, wait);
  return Answer(client, reader, ns, target);
}

base::Result<Value> ReadWhy(kube::Client& client, const base::Clock& clock, const std::string& ns,
                            const std::string& target, const WhyEngine& engine) {
  WhyReader reader(client, clock, engine);
  return Answer(client, reader, ns, target);
}

int RunWhy(const WhyOptions& options) {
  const auto target = JoinTarget(options.target);
  if (!target) return Fail(target.error());
  if (target->empty()) return ShowView(options.view, WhyOfAll(options.view.selector));
  if (options.view.all_namespaces) {
    return Fail(base::InvalidArgument("a name is in one namespace: use -n, or leave the name out"));
  }
  if (!options.view.selector.empty()) {
    return Fail(base::InvalidArgument("-l chooses among all that waits: leave the name out"));
  }
  return ShowView(options.view, WhyOfOne(*target));
}

}  // namespace coppice::cli
