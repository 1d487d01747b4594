#include "engine/explain/missing_queue.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/explain/amount_text.h"

namespace coppice::engine {
namespace {

const Queue* FindQueue(const Cluster& cluster, const std::string& name) {
  const QueueId id = cluster.FindQueue(name);
  return id != kNone && cluster.queues()[id].exists ? &cluster.queues()[id] : nullptr;
}

// "or use one that takes work (a and b)", without our internal queues.
std::string OneOfQueues(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const Queue& queue : cluster.queues()) {
    const bool usable = queue.exists && queue.reachable && queue.leaf();
    if (usable && !queue.spec->name.starts_with("coppice.")) names.push_back(queue.spec->name);
  }
  std::sort(names.begin(), names.end());
  return names.empty() ? "" : fmt::format(", or use one that takes work ({})", NameSome(names));
}

// The first ancestor that does not exist; empty if the queue is its own ancestor.
std::string MissingParent(const Cluster& cluster, const Queue& queue) {
  std::string name = queue.spec->parent;
  for (size_t i = 0; i < cluster.queues().size(); ++i) {
    const Queue* parent = FindQueue(cluster, name);
    if (!parent) return name;
    name = parent->spec->parent;
  }
  return "";
}

void Say(std::string reason, std::string summary, Explanation::Change change, Explanation& out) {
  out.verdict = Verdict::kNeedsAction;
  out.reason = std::move(reason);
  out.summary = std::move(summary);
  out.changes.push_back(std::move(change));
}

void SayUnreachable(const Cluster& cluster, const Queue& queue, Explanation& out) {
  const std::string& name = queue.spec->name;
  const std::string parent = MissingParent(cluster, queue);
  if (parent.empty()) {
    Say("QueueDoesNotExist", fmt::format("queue `{}` cannot be used: it is its own ancestor", name),
        {"changeQueue", name, 1, "Queue",
         fmt::format("give queue `{}` another parentQueue{}", name, OneOfQueues(cluster))},
        out);
    return;
  }
  Say("QueueDoesNotExist",
      fmt::format("queue `{}` cannot be used: its parent `{}` does not exist", name, parent),
      {"create", parent, 1, "Queue",
       fmt::format("create queue `{}`{}", parent, OneOfQueues(cluster))},
      out);
}

}  // namespace

bool ExplainMissingQueue(const Session& session, const Gang& gang, Explanation& out) {
  const Cluster& cluster = session.cluster;
  const std::string& name = gang.job().spec->queue;
  const Queue* queue = FindQueue(cluster, name);
  if (queue && queue->reachable && queue->leaf()) return false;
  out.message = gang.job().errors.Text(cluster.names());
  if (queue && !queue->reachable) {
    SayUnreachable(cluster, *queue, out);
  } else if (queue) {
    Say("QueueHasChildren", fmt::format("queue `{}` has child queues, and takes no work", name),
        {"changeQueue", name, 1, "Queue",
         fmt::format("remove the child queues of `{}`{}", name, OneOfQueues(cluster))},
        out);
    out.message.clear();  // The scheduler itself reports nothing about it.
  } else {
    Say("QueueDoesNotExist", fmt::format("queue `{}` does not exist", name),
        {"create", name, 1, "Queue",
         fmt::format("create queue `{}`{}", name, OneOfQueues(cluster))},
        out);
  }
  return true;
}

}  // namespace coppice::engine
