#include "engine/answers/what_if.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/answers/future.h"

namespace coppice::engine {
namespace {

// Evictions lead to further cycles; a cluster that has not settled by then never does.
constexpr int kMostCycles = 8;

base::Status CheckNodes(const Ledger& objects, const std::vector<std::string>& nodes) {
  for (const std::string& node : nodes) {
    if (objects.Find<NodeSpec>("", node) == nullptr) {
      return base::NotFound(fmt::format("there is no node {}", node));
    }
  }
  return {};
}

base::Status CheckQuestion(const Ledger& objects, const WhatIf& question) {
  for (const auto* nodes : {&question.cordon, &question.drain, &question.fail}) {
    COPPICE_TRY(CheckNodes(objects, *nodes));
  }
  for (const NodeSpec& node : question.add) {
    if (objects.Find<NodeSpec>("", node.name) != nullptr) {
      return base::InvalidArgument(fmt::format("node {} exists already", node.name));
    }
  }
  for (const QueueSpec& queue : question.queues) {
    if (objects.Find<QueueSpec>("", queue.name) == nullptr) {
      return base::NotFound(fmt::format("there is no queue {}", queue.name));
    }
  }
  for (const Engine::Question& submitted : question.submit) {
    const PodGroupSpec& group = submitted.group;
    if (objects.Find<PodGroupSpec>(group.namespace_name, group.name) != nullptr) {
      return base::InvalidArgument(fmt::format(
          "PodGroup {}/{} exists already; ask about it with `coppice eta`, or rename it",
          group.namespace_name, group.name));
    }
  }
  return {};
}

bool IsSmall(const WhatIf& question) {
  return question.submit.size() == 1 && question.cordon.empty() && question.drain.empty() &&
         question.fail.empty() && question.add.empty() && question.queues.empty();
}

PodKey KeyOfPod(const PodSpec& pod) { return {pod.shape->namespace_name, pod.name, pod.uid}; }

WhatIfAnswer AnswerOf(const Engine::Question& submitted, const Engine::Fit& fit) {
  WhatIfAnswer answer{.cycles = 1};
  WhatIfAnswer::Group& group = answer.submitted.emplace_back();
  group.group = {submitted.group.namespace_name, submitted.group.name};
  group.runs = true;
  for (size_t i = 0; i < submitted.pods.size(); ++i) {
    group.pods.push_back({KeyOfPod(submitted.pods[i]), fit.nodes[i]});
  }
  return answer;
}

std::string ShownAs(const Ledger& objects, const InputKey& key) {
  const PodGroupSpec* group = objects.Find<PodGroupSpec>(key.first, key.second);
  return group == nullptr || group->shown_as.empty() ? key.second : group->shown_as;
}

// Pods on nodes, by group.
std::map<InputKey, int> CountPlaced(const Ledger& objects) {
  std::map<InputKey, int> counts;
  for (const PodSpec& pod : objects.pods()) {
    if (Future::IsPlaced(pod) && !pod.pod_group.empty()) {
      ++counts[{pod.shape->namespace_name, pod.pod_group}];
    }
  }
  return counts;
}

std::string MessageOf(const CycleResult& result, const InputKey& key) {
  for (const GroupStatus& status : result.groups) {
    if (status.group.namespace_name == key.first && status.group.name == key.second) {
      return status.ready ? status.message : status.not_ready_message;
    }
  }
  return "";
}

class Asked {
 public:
  Asked(const Engine& engine, const WhatIf& question, Future& without, base::Time now)
      : question_(question), without_(without), with_(engine, now) {}

  WhatIfAnswer Run() {
    Apply();
    out_.cycles = with_.Settle(kMostCycles);
    places_ = with_.Places();
    for (const Engine::Question& submitted : question_.submit) AddSubmitted(submitted);
    AddEvicted();
    AddDifferences();
    return std::move(out_);
  }

 private:
  void Apply() {
    Engine& engine = with_.engine();
    for (const NodeSpec& node : question_.add) engine.PutNode(node);
    for (const QueueSpec& queue : question_.queues) engine.PutQueue(queue);
    for (const std::string& node : question_.cordon) with_.Cordon(node, false);
    for (const std::string& node : question_.drain) with_.Cordon(node, true);
    for (const std::string& node : question_.fail) with_.Fail(node);
    for (const Engine::Question& submitted : question_.submit) {
      engine.PutPodGroup(submitted.group);
      for (const PodSpec& pod : submitted.pods) engine.PutPod(pod);
    }
  }

  void AddSubmitted(const Engine::Question& submitted) {
    const InputKey key{submitted.group.namespace_name, submitted.group.name};
    submitted_.insert(key);
    WhatIfAnswer::Group group;
    group.group = {key.first, key.second};
    group.runs = with_.HasMinimum(key);
    for (const PodSpec& pod : submitted.pods) {
      const auto place = places_.find(pod.uid);
      group.pods.push_back({KeyOfPod(pod), place == places_.end() ? "" : place->second});
      const auto bound = with_.bound().find(pod.uid);
      group.waits_for_others |= bound != with_.bound().end() && bound->second > 1;
    }
    if (!group.runs) {
      out_.runs = false;
      group.why = with_.engine().Explain(key.first, key.second, with_.now());
    }
    out_.submitted.push_back(std::move(group));
  }

  void AddEvicted() {
    for (const auto& [uid, loss] : with_.losses()) {
      const InputKey group{loss.group.namespace_name, loss.group.name};
      if (submitted_.contains(group) || without_.losses().contains(uid)) continue;
      const auto again = places_.find(uid);
      out_.evicted.push_back(
          {loss.pod, loss.group, loss.node, loss.why, again == places_.end() ? "" : again->second});
    }
  }

  void AddDifferences() {
    const auto before = CountPlaced(without_.objects()), after = CountPlaced(with_.objects());
    std::map<InputKey, std::pair<int, int>> counts;
    for (const auto& [key, count] : before) counts[key].first = count;
    for (const auto& [key, count] : after) counts[key].second = count;
    for (const auto& [key, count] : counts) {
      if (count.first == count.second || submitted_.contains(key)) continue;
      auto& list = count.second < count.first ? out_.delayed : out_.sooner;
      list.push_back({{key.first, key.second},
                      ShownAs(with_.objects(), key),
                      count.first,
                      count.second,
                      count.second < count.first ? MessageOf(with_.last(), key) : ""});
    }
  }

  const WhatIf& question_;
  Future& without_;
  Future with_;
  std::set<InputKey> submitted_;
  std::map<std::string, std::string> places_;
  WhatIfAnswer out_;
};

// Answers to the questions about one group each; only where there is room and nothing waits.
void AnswerSmall(Engine& engine, const std::vector<WhatIf>& questions, base::Time now,
                 std::vector<std::optional<WhatIfAnswer>>& answers) {
  std::vector<Engine::Question> small;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < questions.size(); ++i) {
    if (!IsSmall(questions[i])) continue;
    small.push_back(questions[i].submit.front());
    numbers.push_back(i);
  }
  if (small.empty() || engine.AnythingWaits(now)) return;
  const std::vector<Engine::Fit> fits = engine.TryAllocate(small, now);
  for (size_t i = 0; i < small.size(); ++i) {
    if (fits[i].placed && !fits[i].waits) answers[numbers[i]] = AnswerOf(small[i], fits[i]);
  }
}

}  // namespace

base::Result<std::vector<WhatIfAnswer>> AskWhatIf(Engine& engine,
                                                  const std::vector<WhatIf>& questions,
                                                  base::Time now) {
  for (const WhatIf& question : questions) {
    COPPICE_TRY(CheckQuestion(*engine.inputs(), question));
  }
  std::vector<std::optional<WhatIfAnswer>> quick(questions.size());
  AnswerSmall(engine, questions, now, quick);
  std::optional<Future> without;
  std::vector<WhatIfAnswer> answers;
  for (size_t i = 0; i < questions.size(); ++i) {
    if (quick[i]) {
      answers.push_back(*std::move(quick[i]));
      continue;
    }
    if (!without) {
      without.emplace(engine, now);
      without->Settle(kMostCycles);
    }
    answers.push_back(Asked(engine, questions[i], *without, now).Run());
  }
  return answers;
}

}  // namespace coppice::engine
