#include "backends/framework/queue.h"

#include <algorithm>

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
  const Value& labels = has_set ? input.set["metadata"]["labels"] : input.gang.labels;
  const Value& annotations =
      has_set ? input.set["metadata"]["annotations"] : input.gang.annotations;
  QueueAnswer answer{.of_set = Lookup(labels, annotations, keys)};
  AddUnique(answer.of_set, names);
  for (const Value& clique : input.set["spec"]["template"]["cliques"].Items()) {
    const std::string name = Lookup(clique["labels"], clique["annotations"], keys);
    if (!answer.of_set.empty() && !name.empty() && name != answer.of_set && answer.clique.empty()) {
      answer.clique = clique["name"].ToString();
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
