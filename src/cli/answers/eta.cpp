#include "cli/answers/eta.h"

#include <fmt/format.h>

#include "cli/answers/live.h"
#include "cli/show/views.h"
#include "cli/why/why_target.h"
#include "engine/answers/eta.h"
#include "kube/executor/thread_executor.h"
#include "services/scheduler/answers/answer_json.h"

namespace coppice::cli {
namespace {

using engine::InputKey;
using json::Value;

bool IsMeant(const engine::PodGroupSpec& group, const std::string& target) {
  const std::string& shown = group.shown_as;
  const size_t slash = shown.find('/');
  return target == group.name || target == group.namespace_name + "/" + group.name ||
         target == "group/" + group.name || target == shown ||
         (slash != shown.npos && target == shown.substr(slash + 1)) ||
         (!group.set.empty() && (target == group.set || target == "set/" + group.set));
}

// On a cluster, whatever `why` finds.
base::Result<std::vector<InputKey>> FindOnCluster(const EtaCommand& options) {
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const auto client, Connect(options.asked.cluster, executor));
  std::string ns = options.ns;
  if (ns.empty()) {
    COPPICE_ASSIGN(ns, CurrentNamespace(options.asked.cluster, executor));
  }
  COPPICE_ASSIGN(const auto targets, FindGroups(*client, ns, options.target));
  std::vector<InputKey> groups;
  for (const WhyTarget& target : targets) {
    if (target.group.name.empty()) continue;
    groups.emplace_back(target.group.ns.empty() ? ns : target.group.ns, target.group.name);
  }
  if (groups.empty()) {
    return base::NotFound(fmt::format("{} has no PodGroup yet; `coppice why {}` says more",
                                      options.target, options.target));
  }
  return groups;
}

}  // namespace

base::Result<std::vector<InputKey>> FindAskedGroups(const AskedCluster& cluster,
                                                    const std::string& ns,
                                                    const std::string& target) {
  std::vector<InputKey> groups;
  for (const auto& [key, group] : cluster.inputs().All<engine::PodGroupSpec>()) {
    if ((ns.empty() || ns == key.first) && IsMeant(group, target)) groups.push_back(key);
  }
  if (groups.empty()) {
    return base::NotFound(fmt::format("the snapshot has no PodGroup, job or set {}", target));
  }
  return groups;
}

base::Result<Value> ReadEta(AskedCluster& cluster, const std::vector<InputKey>& groups) {
  const services::scheduler::KnownRuntimes known = cluster.Runtimes();
  Value answers = Value::Array();
  for (const InputKey& group : groups) {
    const auto answer = AskEta(cluster.engine(), group, known.runtimes, cluster.now());
    if (!answer) {
      return base::NotFound(
          fmt::format("the scheduler does not know PodGroup {}/{}", group.first, group.second));
    }
    answers.Append(services::scheduler::EtaJson(*answer, known.problems));
  }
  return answers;
}

int RunEta(const EtaCommand& options) {
  Value answers;
  base::Time now{};
  const base::Status asked = AskCluster(options.asked, [&](AskedCluster& cluster) -> base::Status {
    now = cluster.now();
    COPPICE_ASSIGN(const auto groups, options.asked.snapshot.empty()
                                          ? FindOnCluster(options)
                                          : FindAskedGroups(cluster, options.ns, options.target));
    COPPICE_ASSIGN(answers, ReadEta(cluster, groups));
    return {};
  });
  if (!asked) return Fail(asked.error());
  Print(answers, options.format, [&](const Value& list) { return FormatEta(list, now); });
  return 0;
}

}  // namespace coppice::cli
