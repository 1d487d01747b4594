#include <fmt/format.h>

#include <algorithm>

#include "engine/state/cluster.h"

// Bad input, reported against the object that carries it.

namespace coppice::engine {

void Cluster::Problem(std::string kind, std::string_view name, std::string message) {
  problems_.insert({std::move(kind), std::string(name), std::move(message)});
}

void Cluster::ForgetProblems(std::string_view kind, std::string_view name) {
  std::erase_if(problems_, [&](const auto& known) { return known[0] == kind && known[1] == name; });
}

void Cluster::ForgetProblems(std::string_view kind) {
  std::erase_if(problems_, [&](const auto& known) { return known[0] == kind; });
}

void Cluster::CheckLoad(NodeId id) {
  const auto idle = amounts.idle(id);
  const bool over = nodes[id].exists &&
                    std::any_of(idle.begin(), idle.end(), [](int64_t left) { return left < 0; });
  if (over) {
    overcommitted_.insert(id);
  } else if (!overcommitted_.empty()) {
    overcommitted_.erase(id);
  }
}

void Cluster::CheckQuotas(const QueueSpec& queue) {
  const std::pair<const char*, const QueueQuota*> kinds[] = {
      {"cpu", &queue.cpu}, {"memory", &queue.memory}, {"gpu", &queue.gpu}};
  const auto wrong = [](double amount) { return amount < 0 && amount != kUnlimited; };
  for (const auto& [resource, quota] : kinds) {
    if (wrong(quota->quota) || wrong(quota->limit) || quota->over_quota_weight < 0) {
      Problem("Queue", queue.name,
              fmt::format("a negative amount of {}; only -1 has a meaning, unlimited", resource));
    }
  }
}

std::vector<InputProblem> Cluster::Problems() const {
  std::vector<InputProblem> all;
  for (const auto& [kind, name, message] : problems_) all.push_back({kind, name, message});
  const size_t computed = all.size();
  for (NodeId node : overcommitted_) {
    all.push_back(
        {"Node", std::string(Text(nodes[node].name)), "its pods ask for more than it has"});
  }
  for (TaskId task : stranded_) {
    all.push_back({"Pod", PodName(task), "is on a node that does not exist"});
  }
  for (TaskId task : negative_) {
    all.push_back({"Pod", PodName(task), "a negative request is read as zero"});
  }
  std::sort(all.begin() + static_cast<std::ptrdiff_t>(computed), all.end(),
            [](const InputProblem& a, const InputProblem& b) {
              return std::tie(a.kind, a.name, a.message) < std::tie(b.kind, b.name, b.message);
            });
  return all;
}

}  // namespace coppice::engine
