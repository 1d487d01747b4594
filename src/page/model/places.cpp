#include "page/model/places.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::page {

Places::Places(const std::map<std::string, NodeFacts>& nodes,
               const std::vector<std::string>& levels) {
  for (const auto& [name, node] : nodes) {
    std::vector<std::string>& path = paths_[name];
    for (const std::string& level : levels) path.emplace_back(node.labels[level].AsString());
  }
}

const std::vector<std::string>& Places::PathOf(std::string_view node) const {
  static const std::vector<std::string> kNowhere;
  const auto found = paths_.find(node);
  return found == paths_.end() ? kNowhere : found->second;
}

std::string Places::Describe(std::vector<std::string_view>& nodes) const {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  if (nodes.empty()) return "";
  if (nodes.size() == 1) return std::string(nodes.front());
  const std::vector<std::string>& first = PathOf(nodes.front());
  size_t common = first.size();
  for (const std::string_view node : nodes) {
    const std::vector<std::string>& path = PathOf(node);
    const auto [mine, other] =
        std::mismatch(first.begin(), first.begin() + common, path.begin(), path.end());
    common = static_cast<size_t>(mine - first.begin());
  }
  while (common > 0 && first[common - 1].empty()) --common;
  if (common == 0) return fmt::format("{} nodes", nodes.size());
  return fmt::format("{} ({} nodes)", first[common - 1], nodes.size());
}

}  // namespace coppice::page
