#include "engine/state/values/node_labels.h"

namespace coppice::engine {

NodeLabels::NodeLabels(const Labels& labels, Names& names)
    : entries_(labels.empty() ? nullptr : new Entry[labels.size()]) {
  for (const auto& [key, value] : labels) {
    entries_[size_++] = {names.Intern(key), names.Intern(value)};
  }
}

std::optional<std::string_view> NodeLabels::Find(const Names& names, std::string_view key) const {
  const NameId wanted = names.Find(key);
  for (uint32_t i = 0; i < size_; ++i) {
    if (entries_[i].key == wanted) return names.Text(entries_[i].value);
  }
  return std::nullopt;
}

}  // namespace coppice::engine
