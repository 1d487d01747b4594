#include "cli/show/views.h"

#include <fmt/format.h>

#include <cstdio>

#include "api/view/answers.h"
#include "cli/show/queue_view.h"
#include "cli/show/tree_view.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"

namespace coppice::cli {

void Print(const json::Value& document, Format format,
           const std::function<std::string(const json::Value&)>& text) {
  switch (format) {
    case Format::kText:
      fmt::print("{}", text(document));
      break;
    case Format::kJson:
      fmt::print("{}\n", json::WritePretty(document));
      break;
    case Format::kYaml:
      fmt::print("{}", json::WriteYaml(document));
      break;
  }
}

int Fail(const base::Error& error) {
  fmt::print(stderr, "error: {}\n", error.message());
  return 1;
}

int RunTree(const TreeOptions& options) {
  kube::ThreadExecutor executor;
  const auto client = Connect(options.cluster, executor);
  if (!client) return Fail(client.error());
  const auto tree = ReadTree(**client, options.ns, options.name);
  if (!tree) return Fail(tree.error());
  const view::answers::Tree shown(*tree);
  if (!options.name.empty() && shown.sets().empty() && shown.groups().empty()) {
    return Fail(
        base::NotFound(fmt::format("there is no PodCliqueSet, PodGang, PodClique, PodGroup, Job "
                                   "(or other owner of a PodGroup) "
                                   "or grouped pod called \"{}\"",
                                   options.name)));
  }
  Print(*tree, options.format, FormatTree);
  return 0;
}

int RunQueues(const QueuesOptions& options) {
  kube::ThreadExecutor executor;
  const auto client = Connect(options.cluster, executor);
  if (!client) return Fail(client.error());
  const auto queues = ReadQueues(**client);
  if (!queues) return Fail(queues.error());
  Print(*queues, options.format, FormatQueues);
  return 0;
}

}  // namespace coppice::cli
