#include "cli/completion_names.h"

#include <fmt/format.h>

#include <cstdio>

#include "api/well_known.h"
#include "cli/common/connect.h"
#include "cli/common/resource_words.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

constexpr int64_t kMostNames = 500;  // Of a kind; a shell shows no more.

// The value of a flag among the words: "-n team", "--namespace=team".
std::string FlagValue(const std::vector<std::string>& words, std::string_view short_name,
                      std::string_view long_name) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == short_name || word == long_name) return words[i + 1];
    if (word.starts_with(fmt::format("{}=", long_name))) {
      return std::string(word.substr(long_name.size() + 1));
    }
  }
  return "";
}

std::vector<std::string> NamesOf(kube::Client& client, const api::Resource& resource,
                                 const std::string& ns) {
  std::vector<std::string> names;
  const auto list =
      client.List(resource, {.ns = resource.namespaced ? ns : "", .limit = kMostNames});
  if (!list) return names;
  for (const json::Value& object : list->items) names.emplace_back(kube::Name(object));
  return names;
}

// "job/train" for every kind, or for the one before the slash as the user wrote it.
std::vector<std::string> ObjectNames(kube::Client& client, const std::string& ns,
                                     const std::string& current) {
  const size_t slash = current.find('/');
  const std::string word = slash == std::string::npos ? "" : current.substr(0, slash);
  const ResourceWord* kind = FindResourceWord(word);
  std::vector<std::string> names;
  for (const ResourceWord& each : ResourceWords()) {
    // Generated names are what nobody types first.
    const bool generated = each.resource == api::kPods || each.resource == api::kReplicaSets ||
                           each.resource == api::kPodGroups;
    const bool wanted = kind != nullptr ? kind == &each : word.empty() && !generated;
    if (!wanted || !each.resource.namespaced) continue;
    for (const std::string& name : NamesOf(client, each.resource, ns)) {
      names.push_back(fmt::format("{}/{}", kind != nullptr ? word : each.name, name));
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> ListCompletions(kube::Client& client, const std::string& ns,
                                         const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  if (before == "-n" || before == "--namespace") return NamesOf(client, api::kNamespaces, "");
  if (words.front() == "queue") return NamesOf(client, api::kQueues, "");
  // "why job tr": the name after its kind.
  const ResourceWord* kind = words.size() > 2 ? FindResourceWord(before) : nullptr;
  if (kind != nullptr) return NamesOf(client, kind->resource, ns);
  return ObjectNames(client, ns, words.back());
}

int RunCompletionNames(const std::vector<std::string>& words) {
  const ClusterFlags flags{.kubeconfig = FlagValue(words, "--kubeconfig", "--kubeconfig"),
                           .context = FlagValue(words, "--context", "--context"),
                           .as = FlagValue(words, "--as", "--as")};
  kube::ThreadExecutor executor;
  const auto client = Connect(flags, executor);
  if (!client) return 1;
  std::string ns = FlagValue(words, "-n", "--namespace");
  if (ns.empty()) ns = CurrentNamespace(flags, executor).value_or("default");
  for (const std::string& name : ListCompletions(**client, ns, words)) fmt::print("{}\n", name);
  return 0;
}

}  // namespace coppice::cli
