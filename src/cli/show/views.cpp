#include "cli/show/views.h"

#include <fmt/format.h>

#include "api/view/answers.h"
#include "api/well_known.h"
#include "cli/common/resource_words.h"
#include "cli/common/wait.h"
#include "cli/show/queue_view.h"
#include "cli/show/top_view.h"
#include "cli/show/tree_view.h"
#include "cli/why/why_picture.h"
#include "services/scheduler/read/shown_as.h"

namespace coppice::cli {
namespace {

constexpr base::Duration kPictureLimit = std::chrono::seconds(60);

base::Error NothingCalled(const std::string& target, const std::string& ns) {
  return base::NotFound(fmt::format(
      "no set, gang, clique, workload, PodGroup or pod is called \"{}\" in {}; coppice tree shows "
      "what there is{}",
      target, ns.empty() ? "any namespace" : "namespace " + ns,
      ns.empty() ? "" : ", and -A looks into all namespaces"));
}

std::vector<std::string> TreeNames(const json::Value& document) {
  const view::answers::Tree tree(document);
  std::vector<std::string> names;
  for (const auto set : tree.sets()) names.push_back(ResourceName(api::kPodCliqueSets, set.name()));
  for (const auto group : tree.groups()) {
    names.push_back(services::scheduler::ShownAs(group.kind(), group.name()));
  }
  return names;
}

}  // namespace

int RunTree(const TreeOptions& options) {
  const auto target = JoinTarget(options.target);
  if (!target) return Fail(target.error());
  Shown shown;
  shown.read = [&](kube::Client& client, kube::Executor&,
                   const std::string& ns) -> base::Result<json::Value> {
    COPPICE_ASSIGN(json::Value tree, ReadTree(client, {ns, *target, options.view.selector}));
    const view::answers::Tree found(tree);
    if (target->empty() || !found.sets().empty() || !found.groups().empty()) return tree;
    return NothingCalled(*target, ns);
  };
  shown.text = FormatTree;
  shown.names = TreeNames;
  return ShowView(options.view, shown);
}

int RunQueues(const QueuesOptions& options) {
  Shown shown;
  shown.read = [](kube::Client& client, kube::Executor& executor, const std::string&) {
    Pictures pictures(client, executor, [&](const std::function<bool()>& done) {
      return WaitUntil(executor, kPictureLimit, done);
    });
    return ReadQueues(client, [&](const std::string& pool) { return pictures.Shares(pool); });
  };
  shown.text = FormatQueues;
  shown.names = [](const json::Value& queues) {
    std::vector<std::string> names;
    for (const json::Value& queue : queues.Items()) {
      names.push_back(ResourceName(api::kQueues, view::answers::Queue(queue).name()));
    }
    return names;
  };
  return ShowView(options.view, shown);
}

int RunTop(const TopOptions& options) {
  const TopPart part = options.part.empty()      ? TopPart::kAll
                       : options.part == "nodes" ? TopPart::kNodes
                                                 : TopPart::kDomains;
  Shown shown;
  shown.read = [&](kube::Client& client, kube::Executor&, const std::string&) {
    return ReadTop(client, options.view.selector);
  };
  shown.text = [part](const json::Value& top, const TextOptions& text) {
    return FormatTop(top, part, text);
  };
  shown.names = [](const json::Value& top) {
    std::vector<std::string> names;
    for (const auto node : view::answers::Top(top).nodes()) {
      names.push_back(ResourceName(api::kNodes, node.name()));
    }
    return names;
  };
  return ShowView(options.view, shown);
}

}  // namespace coppice::cli
