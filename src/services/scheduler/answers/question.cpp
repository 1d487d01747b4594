#include "services/scheduler/answers/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "api/labels.h"
#include "api/selectors/label_selector.h"
#include "base/quantity.h"
#include "kube/object.h"
#include "services/scheduler/read/pods.h"

namespace coppice::services::scheduler {
namespace {

constexpr int64_t kMostNewNodes = 10000;

json::Value LabelsJson(const engine::NodeSpec& node, bool without_domain) {
  json::Value labels = json::Value::Object();
  for (const auto& [key, value] : node.labels) {
    labels.Set(key, value);
    const size_t slash = key.rfind('/');
    if (without_domain && slash != key.npos) labels.Set(key.substr(slash + 1), value);
  }
  return labels;
}

std::vector<std::string> Matching(const engine::Ledger& objects, const api::LabelSelector& selector,
                                  bool without_domain) {
  std::vector<std::string> names;
  for (const auto& [key, node] : objects.All<engine::NodeSpec>()) {
    if (selector.Matches(LabelsJson(node, without_domain))) names.push_back(node.name);
  }
  return names;
}

base::Result<std::vector<engine::NodeSpec>> NewNodes(const engine::Ledger& objects, int64_t count,
                                                     const std::string& like) {
  if (count < 0 || count > kMostNewNodes) {
    return base::InvalidArgument(
        fmt::format("{} nodes cannot be added; 1 to {} can", count, kMostNewNodes));
  }
  if (like.empty()) {
    return base::InvalidArgument("which node are the new ones like? Name one with --like");
  }
  const engine::NodeSpec* model = objects.Find<engine::NodeSpec>("", like);
  if (model == nullptr) return base::NotFound(fmt::format("there is no node {}", like));
  std::vector<engine::NodeSpec> nodes;
  for (int64_t i = 0; std::ssize(nodes) < count; ++i) {
    engine::NodeSpec node = *model;
    node.name = fmt::format("{}-new-{}", like, i);
    if (objects.Find<engine::NodeSpec>("", node.name) != nullptr) continue;
    node.unschedulable = false;
    if (const auto host = node.labels.find(std::string(api::labels::kHostname));
        host != node.labels.end()) {
      host->second = node.name;
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// In the units of the Queue API.
base::Result<double> ReadAmount(std::string_view resource, const std::string& text) {
  if (text == "unlimited") return -1;
  COPPICE_ASSIGN(const base::Quantity amount, base::Quantity::Parse(text));
  if (amount.Sign() < 0) {
    return base::InvalidArgument(
        fmt::format("{} is negative; write \"unlimited\" for no quota", text));
  }
  const double unit = resource == "cpu" ? 1000 : resource == "memory" ? 1e-6 : 1;
  return amount.ToDouble() * unit;
}

base::Status SetQuota(std::string_view part, engine::QueueSpec& queue) {
  const size_t colon = part.find(':');
  const std::string_view resource = part.substr(0, colon);
  engine::QueueQuota* quota = resource == "gpu"      ? &queue.gpu
                              : resource == "cpu"    ? &queue.cpu
                              : resource == "memory" ? &queue.memory
                                                     : nullptr;
  if (quota == nullptr || colon == part.npos) {
    return base::InvalidArgument(
        fmt::format("\"{}\" is not gpu:NUMBER, cpu:QUANTITY or memory:QUANTITY", part));
  }
  COPPICE_ASSIGN(quota->quota, ReadAmount(resource, std::string(part.substr(colon + 1))));
  return {};
}

}  // namespace

base::Result<std::vector<std::string>> SelectNodes(const engine::Ledger& objects,
                                                   const std::string& text) {
  COPPICE_ASSIGN(const api::LabelSelector selector, api::LabelSelector::Parse(text));
  if (selector.MatchesEverything()) {
    return base::InvalidArgument("an empty selector would fail all nodes; name a label");
  }
  std::vector<std::string> names = Matching(objects, selector, false);
  if (names.empty()) names = Matching(objects, selector, true);
  if (names.empty()) return base::NotFound(fmt::format("no node has labels {}", text));
  return names;
}

base::Result<engine::QueueSpec> ReadQuotaChange(const engine::Ledger& objects,
                                                const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == text.npos) {
    return base::InvalidArgument(fmt::format("quota \"{}\" is not QUEUE=gpu:NUMBER", text));
  }
  const std::string name = text.substr(0, equals);
  const engine::QueueSpec* found = objects.Find<engine::QueueSpec>("", name);
  if (found == nullptr) return base::NotFound(fmt::format("there is no queue {}", name));
  engine::QueueSpec queue = *found;
  for (std::string_view rest = std::string_view(text).substr(equals + 1);;) {
    const size_t comma = rest.find(',');
    if (const base::Status set = SetQuota(rest.substr(0, comma), queue); !set) {
      return set.error().During("quota of " + name);
    }
    if (comma == rest.npos) return queue;
    rest.remove_prefix(comma + 1);
  }
}

base::Result<std::vector<engine::Engine::Question>> ReadSubmitted(
    const std::vector<json::Value>& objects, const PriorityClasses& priorities,
    std::string_view node_pool_key) {
  std::vector<engine::Engine::Question> submitted;
  std::map<engine::InputKey, size_t> groups;
  for (const json::Value& object : objects) {
    if (kube::Kind(object) == "Pod") continue;
    if (kube::Kind(object) != "PodGroup") {
      return base::InvalidArgument(fmt::format("{} {} is neither a PodGroup nor a Pod",
                                               kube::Kind(object), kube::Name(object)));
    }
    engine::PodGroupSpec group = ReadPodGroup(object, priorities, node_pool_key);
    groups[{group.namespace_name, group.name}] = submitted.size();
    submitted.push_back({std::move(group), {}});
  }
  PodReader reader;
  for (const json::Value& object : objects) {
    if (kube::Kind(object) != "Pod") continue;
    engine::PodSpec pod = reader.Read(object, nullptr);
    const auto group = groups.find({pod.shape->namespace_name, pod.pod_group});
    if (group == groups.end()) {
      return base::InvalidArgument(
          fmt::format("pod {} is in no PodGroup that is submitted with it", pod.name));
    }
    pod.uid = fmt::format("what-if/{}/{}", pod.shape->namespace_name, pod.name);
    // Whoever gates it lets it go in time.
    pod.status = engine::TaskStatus::kPending;
    pod.node.clear();
    submitted[group->second].pods.push_back(std::move(pod));
  }
  return submitted;
}

base::Result<engine::WhatIf> ReadWhatIf(const WhatIfRequest& request, const engine::Ledger& objects,
                                        const PriorityClasses& priorities,
                                        std::string_view node_pool_key) {
  if (request.empty()) return base::InvalidArgument("nothing is asked: name at least one change");
  engine::WhatIf out;
  out.cordon = request.cordon;
  out.drain = request.drain;
  for (const std::string& selector : request.fail) {
    COPPICE_ASSIGN(const std::vector<std::string> nodes, SelectNodes(objects, selector));
    for (const std::string& node : nodes) {
      if (std::find(out.fail.begin(), out.fail.end(), node) == out.fail.end()) {
        out.fail.push_back(node);
      }
    }
  }
  if (request.add_nodes != 0) {
    COPPICE_ASSIGN(out.add, NewNodes(objects, request.add_nodes, request.like));
  }
  for (const std::string& text : request.quotas) {
    COPPICE_ASSIGN(engine::QueueSpec queue, ReadQuotaChange(objects, text));
    out.queues.push_back(std::move(queue));
  }
  COPPICE_ASSIGN(out.submit, ReadSubmitted(request.submit, priorities, node_pool_key));
  return out;
}

}  // namespace coppice::services::scheduler
