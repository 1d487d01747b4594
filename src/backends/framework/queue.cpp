#include "backends/framework/queue.h"

#include <algorithm>

#include "api/view/grove.h"
#include "backends/model/labels.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

std::string Lookup(const Value& labels, const Value& annotations,
                   const std::vector<QueueKey>& keys) {
  for (const QueueKey& key : keys) {
    const std::string_view value = (key.label ? labels : annotations)[key.key].AsString();
    if (!value.empty()) return std::string(value);
  }
  return {};
}

void AddUnique(std::string name, std::vector<std::string>& names) {
  if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) return;
  names.push_back(std::move(name));
}

}  // namespace

QueueAnswer ResolveQueue(const GangInput& input, const std::vector<QueueKey>& keys) {
  std::vector<std::string> names;
  const bool has_set = input.set.IsObject();
  const view::grove::PodCliqueSet set(input.set);
  const Value& labels = has_set ? set.metadata().labels().Json() : input.gang.labels;
  const Value& annotations = has_set ? set.metadata().annotations().Json() : input.gang.annotations;
  QueueAnswer answer{.of_set = Lookup(labels, annotations, keys)};
  AddUnique(answer.of_set, names);
  for (const view::grove::PodCliqueTemplate clique : set.spec().template_().cliques()) {
    const std::string name = Lookup(clique.labels().Json(), clique.annotations().Json(), keys);
    if (!answer.of_set.empty() && !name.empty() && name != answer.of_set && answer.clique.empty()) {
      answer.clique = clique.name();
      answer.of_clique = name;
    }
    AddUnique(name, names);
  }
  if (names.size() == 1) answer.queue = names.front();
  if (names.size() <= 1) return answer;
  std::sort(names.begin(), names.end());
  answer.conflicting = std::move(names);
  return answer;
}

std::string SetName(const GangInput& input) {
  if (!input.set.IsObject()) {
    return input.gang.ns + "/" + input.gang.labels[labels::kPartOf].ToString(input.gang.name);
  }
  return kube::KeyOf(input.set).ToString();
}

}  // namespace coppice::backends
