#include "cli/common/resource_words.h"

#include <fmt/format.h>

#include "api/well_known.h"

namespace coppice::cli {
namespace {

const api::Resource kCronJobResource{"batch", "v1", "cronjobs", "CronJob", true};

const ResourceWord kWords[] = {{"set", "pcs", api::kPodCliqueSets},
                               {"gang", "pg", api::kPodGangs},
                               {"clique", "pclq", api::kPodCliques},
                               {"scalinggroup", "pcsg", api::kPodCliqueScalingGroups},
                               {"group", "", api::kPodGroups},
                               {"pod", "po", api::kPods},
                               {"job", "", api::kJobs},
                               {"cronjob", "cj", kCronJobResource},
                               {"deployment", "deploy", api::kDeployments},
                               {"statefulset", "sts", api::kStatefulSets},
                               {"replicaset", "rs", api::kReplicaSets},
                               {"queue", "", api::kQueues},
                               {"node", "no", api::kNodes}};

}  // namespace

std::span<const ResourceWord> ResourceWords() { return kWords; }

const ResourceWord* FindResourceWord(std::string_view word) {
  word = word.substr(0, word.find('.'));
  if (word.empty()) return nullptr;
  for (const ResourceWord& each : kWords) {
    const std::string_view plural = each.resource.plural;
    const std::string ours = fmt::format("{}s", each.name);
    if (word == each.name || word == ours || word == each.short_name || word == plural ||
        word == plural.substr(0, plural.size() - 1)) {
      return &each;
    }
  }
  return nullptr;
}

base::Result<NamedObject> ParseNamedObject(std::string_view text) {
  const size_t slash = text.find('/');
  NamedObject out;
  if (slash == text.npos) {
    out.name = text;
    return out;
  }
  const std::string_view word = text.substr(0, slash);
  out.name = text.substr(slash + 1);
  out.kind = FindResourceWord(word);
  if (out.kind == nullptr) out.other_kind = word;
  if (word.empty() || out.name.empty()) {
    return base::InvalidArgument(
        fmt::format("\"{}\" names no object; use KIND/NAME, such as job/train", text));
  }
  return out;
}

base::Result<std::string> JoinTarget(const std::vector<std::string>& words) {
  if (words.empty()) return std::string();
  if (words.size() == 1) return words[0];
  if (words.size() > 2 || words[0].find('/') != std::string::npos) {
    return base::InvalidArgument(fmt::format(
        "one object at a time: NAME, KIND/NAME or KIND NAME, not \"{}\"", fmt::join(words, " ")));
  }
  if (FindResourceWord(words[0]) == nullptr) {
    return base::InvalidArgument(fmt::format(
        "\"{}\" is no kind of object; use NAME, KIND/NAME or KIND NAME, such as job/train",
        words[0]));
  }
  return fmt::format("{}/{}", words[0], words[1]);
}

std::string ResourceName(const api::Resource& resource, std::string_view name) {
  for (const ResourceWord& each : kWords) {
    if (each.resource == resource) return fmt::format("{}/{}", each.name, name);
  }
  return fmt::format("{}/{}", resource.plural, name);
}

}  // namespace coppice::cli
