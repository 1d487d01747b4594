#include "cli/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>

#include "api/well_known.h"
#include "cli/views.h"
#include "cli/wait.h"
#include "cli/why_failures.h"
#include "cli/why_said.h"
#include "cli/why_target.h"
#include "engine/engine.h"
#include "kube/intercepted_client.h"
#include "kube/manager.h"
#include "kube/object.h"
#include "kube/thread_executor.h"
#include "services/common/served.h"
#include "services/scheduler/assumptions.h"
#include "services/scheduler/feed.h"
#include "services/scheduler/options.h"

namespace coppice::cli {
namespace {

using json::Value;

constexpr base::Duration kSyncLimit = std::chrono::seconds(60);

std::string_view VerdictName(engine::Verdict verdict) {
  switch (verdict) {
    case engine::Verdict::kPlaceable:
      return "Placeable";
    case engine::Verdict::kNotNow:
      return "NotNow";
    case engine::Verdict::kNever:
      return "Never";
  }
  return "NotNow";
}

std::string OtherRoomText(const Value& change) {
  const std::string_view resource = change["resource"].AsString();
  const char* unit = resource == "cpu" ? "m" : resource == "memory" ? "M" : "";
  return fmt::format("{} {}{} {} on {}", change["kind"].AsString() == "addToNode" ? "add" : "free",
                     Number(change["amount"].AsDouble()), unit, resource,
                     change["where"].AsString());
}

std::string ChangeText(const Value& change) {
  const std::string amount = Number(change["amount"].AsDouble());
  const std::string_view kind = change["kind"].AsString(), where = change["where"].AsString();
  if (kind == "raiseQuota" || kind == "raiseLimit") {
    const std::string_view resource = change["resource"].AsString();
    return fmt::format("raise the {} {} of {} by {}", resource == "gpu" ? "GPU" : resource,
                       kind == "raiseQuota" ? "quota" : "limit", where, amount);
  }
  if (kind == "dropRule") return fmt::format("do without the rule {}", where);
  if (kind == "freeOnNode" || kind == "addToNode") return OtherRoomText(change);
  const char* gpus = amount == "1" ? "GPU" : "GPUs";
  if (kind == "addGpusToNode") return fmt::format("{} more {} on {}", amount, gpus, where);
  if (where.empty()) return fmt::format("free {} {}", amount, gpus);
  return fmt::format("free {} {} in {}", amount, gpus, where);
}

// Notes whether anything may not be seen.
class RightsClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;
  bool refused() const { return refused_; }

 protected:
  base::Status After(const kube::Call&, const base::Status& outcome) override {
    if (outcome.Is(base::ErrorCode::kForbidden)) refused_ = true;
    return outcome;
  }

 private:
  std::atomic<bool> refused_ = false;
};

// The cluster as the scheduler of a node pool sees it, read once.
class Picture {
 public:
  Picture(kube::Client& client, kube::Executor& executor, const std::string& node_pool)
      : executor_(executor),
        client_(client),
        options_({.partition_label_value = node_pool}),
        manager_(kube::Manager::Make(client_, executor)),
        engine_(options_.configuration),
        feed_(manager_->runtime(), options_, engine_, assumptions_, [] {}) {}
  ~Picture() { manager_->Stop(); }

  // Forbidden when somebody asks who may not see all of it.
  base::Status Read() {
    COPPICE_TRY(feed_.Watch());
    manager_->Start();
    const auto done = [this] { return manager_->Synced() || client_.refused(); };
    if (!WaitUntil(executor_, kSyncLimit, done)) {
      return base::Unavailable("reading the cluster took too long");
    }
    if (client_.refused()) {
      return base::Error(base::ErrorCode::kForbidden, "not all of the cluster may be seen");
    }
    feed_.Apply();
    return {};
  }

  std::optional<engine::Explanation> Explain(const api::ObjectKey& group) {
    return engine_.Explain(group.ns, group.name, executor_.Now());
  }

 private:
  kube::Executor& executor_;
  RightsClient client_;
  services::scheduler::Options options_;
  std::unique_ptr<kube::Manager> manager_;
  engine::Engine engine_;
  services::scheduler::Assumptions assumptions_;
  services::scheduler::Feed feed_;
};

// A picture for every node pool that is asked about.
class Pictures {
 public:
  Pictures(kube::Client& client, kube::Executor& executor) : client_(client), executor_(executor) {}

  // Nothing for a pod without a group, on a cluster that has no scheduler of ours, and for those
  // who may not see what it sees.
  base::Result<std::optional<engine::Explanation>> Explain(const WhyTarget& target) {
    std::optional<engine::Explanation> nothing;
    if (target.group.name.empty() || refused_) return nothing;
    std::unique_ptr<Picture>& picture = by_pool_[target.node_pool];
    if (!picture) {
      COPPICE_ASSIGN(const bool scheduled, HasScheduler());
      if (!scheduled || !MaySeeNodes()) return nothing;
      picture = std::make_unique<Picture>(client_, executor_, target.node_pool);
      const base::Status read = picture->Read();
      refused_ = read.Is(base::ErrorCode::kForbidden);
      if (refused_) return nothing;
      COPPICE_TRY(read);
    }
    return picture->Explain(target.group);
  }

 private:
  base::Result<bool> HasScheduler() {
    for (const api::Resource& needed :
         {api::kPodGroups, api::kQueues, api::kBindRequests, api::kTopologies}) {
      COPPICE_ASSIGN(const bool served, services::IsServed(client_, needed));
      if (!served) return false;
    }
    return true;
  }

  // Who may see one namespace alone is told so at once, and not by every informer.
  bool MaySeeNodes() {
    return !client_.List(api::kNodes, {.limit = 1}).Is(base::ErrorCode::kForbidden);
  }

  kube::Client& client_;
  kube::Executor& executor_;
  bool refused_ = false;
  std::map<std::string, std::unique_ptr<Picture>> by_pool_;
};

// The scheduler's messages may have several lines, and many begin with their reason.
std::string ReasonText(const Value& answer) {
  std::string reason = answer["reason"].ToString();
  std::string message =
      fmt::format("{}", fmt::join(MessageLines(answer["message"].AsString()), "\n            "));
  return message.starts_with(reason + ": ") ? message : fmt::format("{}: {}", reason, message);
}

// What the largest domain that a required topology allows can hold, were it empty.
std::string LargestDomainText(const Value& answer) {
  const Value& evidence = answer["evidence"];
  std::string text = fmt::format("the largest, {}, has {} GPUs", answer["largestDomain"].AsString(),
                                 Number(evidence["largestDomainGpus"].AsDouble()));
  if (evidence.Has("largestDomainPods")) {
    text +=
        fmt::format(" and holds {} of {} pods", Number(evidence["largestDomainPods"].AsDouble()),
                    Number(evidence["pods"].AsDouble()));
  }
  return text;
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
                                  {"resource", change.resource}}));
  }
  return Value::Object({{"group", explanation.group.namespace_name + "/" + explanation.group.name},
                        {"verdict", VerdictName(explanation.verdict)},
                        {"reason", explanation.reason},
                        {"message", explanation.message},
                        {"nodes", std::move(nodes)},
                        {"evidence", std::move(evidence)},
                        {"domain", explanation.domain},
                        {"largestDomain", explanation.largest_domain},
                        {"changes", std::move(changes)}});
}

base::Result<Value> ReadWhy(kube::Client& client, kube::Executor& executor, const std::string& ns,
                            const std::string& target) {
  COPPICE_ASSIGN(const auto groups, FindGroups(client, ns, target));
  COPPICE_ASSIGN(std::vector<Value> failures, FindFailures(client, ns, target, groups));
  const bool failed = !failures.empty();
  Value answers = Value::Array();
  for (Value& failure : failures) answers.Append(std::move(failure));
  Pictures pictures(client, executor);
  for (const WhyTarget& each : groups) {
    COPPICE_ASSIGN(const auto explanation, pictures.Explain(each));
    const bool placeable = explanation && explanation->verdict == engine::Verdict::kPlaceable;
    // A gang that is not handed over has room, perhaps, and waits all the same.
    if (placeable && kube::ConditionIs(each.gang, "BackendSynced", "False")) {
      answers.Append(WhatTheGangSays(each.gang));
    } else if (explanation) {
      // Pods that do not exist stand in nobody's way, but that is not why they are missing.
      if (failed && placeable) continue;
      Value answer = ExplanationJson(*explanation);
      if (!each.shown_as.empty()) answer.Set("group", each.shown_as);
      answers.Append(std::move(answer));
    } else if (each.gang.IsObject()) {
      answers.Append(WhatTheGangSays(each.gang));
    } else if (each.pod.IsObject()) {
      COPPICE_ASSIGN(Value said, WhatThePodSays(client, each.pod));
      answers.Append(std::move(said));
    } else if (const auto group = client.Get(api::kPodGroups, each.group)) {
      answers.Append(WhatTheGroupSays(*group));
    }
  }
  return answers;
}

std::string FormatWhy(const Value& answers) {
  if (answers.empty()) return "the scheduler knows no gang of it yet\n";
  std::string out;
  for (const Value& answer : answers.Items()) {
    const std::string_view verdict = answer["verdict"].AsString();
    out += fmt::format("{}: {}\n", answer["group"].AsString(),
                       verdict == "Placeable" ? "nothing stands in the way"
                       : verdict == "Never"   ? "can never run on this cluster"
                                              : "cannot run now");
    out += fmt::format("  reason    {}\n", ReasonText(answer));
    for (const json::Member& fact : answer["evidence"].Members()) {
      out += fmt::format("  evidence  {} {}\n", fact.name(), Number(fact.value.AsDouble()));
    }
    if (answer["largestDomain"].IsString() && !answer["largestDomain"].AsString().empty()) {
      out += fmt::format("  domain    {}\n", LargestDomainText(answer));
    }
    for (const json::Member& node : answer["nodes"].Members()) {
      out += fmt::format("  nodes     {} × {}\n", node.value.AsInt(), node.name());
    }
    for (const Value& change : answer["changes"].Items()) {
      out += fmt::format("  helps     {}\n", ChangeText(change));
    }
  }
  return out;
}

int RunWhy(const WhyOptions& options) {
  kube::ThreadExecutor executor;
  const auto client = Connect(options.cluster, executor);
  if (!client) return Fail(client.error());
  const auto ns = options.ns.empty() ? CurrentNamespace(options.cluster, executor) : options.ns;
  if (!ns) return Fail(ns.error());
  const auto answers = ReadWhy(**client, executor, *ns, options.target);
  if (!answers) return Fail(answers.error());
  Print(*answers, options.format, FormatWhy);
  return 0;
}

}  // namespace coppice::cli
