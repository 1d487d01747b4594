#include "sim/startup_order.h"

#include <charconv>
#include <map>

#include "kube/object.h"

namespace coppice::sim {
namespace {

using json::Value;

constexpr std::string_view kGangIndex = "sim-gang";
constexpr std::string_view kGangLabel = "grove.io/podgang";
constexpr std::string_view kFlag = "--podcliques=";

// "--podcliques=name:2" → {name, 2}, for every such argument.
std::map<std::string, int> DependenciesOf(const Value& container) {
  std::map<std::string, int> out;
  for (const Value& argument : container["args"].Items()) {
    std::string_view text = argument.AsString();
    if (!text.starts_with(kFlag)) continue;
    text.remove_prefix(kFlag.size());
    const size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) continue;
    int count = 0;
    const std::string_view digits = text.substr(colon + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), count);
    out[std::string(text.substr(0, colon))] = count;
  }
  return out;
}

}  // namespace

StartupOrder::StartupOrder(kube::Informer& pods) : pods_(pods) {
  pods_.AddIndex(std::string(kGangIndex), [](const Value& pod) {
    std::vector<std::string> keys;
    if (const auto gang = kube::Label(pod, kGangLabel); !gang.empty()) {
      keys.push_back(std::string(kube::Namespace(pod)) + "/" + std::string(gang));
    }
    return keys;
  });
}

bool StartupOrder::MayFinish(const Value& pod, const Value& container) const {
  std::map<std::string, int> missing = DependenciesOf(container);
  if (missing.empty()) return true;
  const std::string gang =
      std::string(kube::Namespace(pod)) + "/" + std::string(kube::Label(pod, kGangLabel));
  for (const Value& other : pods_.ByIndex(kGangIndex, gang)) {
    if (!kube::ConditionIs(other, "Ready", "True")) continue;
    for (auto& [clique, count] : missing) {
      if (kube::Label(other, "grove.io/podclique") == clique) --count;
    }
  }
  for (const auto& [clique, count] : missing) {
    if (count > 0) return false;
  }
  return true;
}

}  // namespace coppice::sim
