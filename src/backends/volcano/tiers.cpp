#include "backends/volcano/tiers.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/edit/volcano.h"
#include "api/labels.h"
#include "api/view/core.h"
#include "api/view/volcano.h"
#include "api/well_known.h"
#include "backends/model/names.h"
#include "backends/volcano/volcano.h"
#include "kube/object.h"

namespace coppice::backends::volcano {
namespace {

using json::Value;

const api::ObjectKey kSchedulerConfig{"volcano-system", "volcano-scheduler-configmap"};

// Object names are lower case; other characters of a label value are replaced.
std::string NamePart(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (c >= 'A' && c <= 'Z') {
      out += static_cast<char>(c - 'A' + 'a');
    } else {
      out += plain ? c : '-';
    }
  }
  if (out != text) out += "-" + HashHex(text, 6);
  return out;
}

std::string HyperNodeName(const std::string& binding, const TopologyLevel& level,
                          const std::string& value) {
  return Short(fmt::format("{}-{}-{}", binding, level.domain, NamePart(value)), kObjectNameLimit);
}

// For each level: domain → names of the domains one level down.
using Children = std::vector<std::map<std::string, std::set<std::string>>>;

Children FindDomains(const std::vector<Value>& nodes, const std::vector<TopologyLevel>& levels) {
  Children children(levels.size());
  for (const Value& node : nodes) {
    for (size_t i = 0; i < levels.size(); ++i) {
      const std::string domain(kube::Label(node, levels[i].key));
      if (domain.empty()) continue;
      std::set<std::string>& below = children[i][domain];
      if (i + 1 == levels.size()) continue;
      const std::string child(kube::Label(node, levels[i + 1].key));
      if (!child.empty()) below.insert(child);
    }
  }
  return children;
}

void AddNodes(const std::string& key, const std::string& domain,
              edit::volcano::HyperNodeSpec spec) {
  const edit::volcano::HyperNodeMember member = spec.add_members();
  member.set_type(api::kNodes.kind);
  member.selector().labelMatch().matchLabels().Set(key, domain);
}

void AddHyperNode(const std::string& name, edit::volcano::HyperNodeSpec spec) {
  const edit::volcano::HyperNodeMember member = spec.add_members();
  member.set_type(kHyperNodes.kind);
  member.selector().exactMatch().set_name(name);
}

bool MadeByOthers(const GangInput& input, const std::string& binding_uid) {
  for (const Value& node : input.cluster->List(kHyperNodes)) {
    if (!kube::IsOwnedBy(node, binding_uid)) return true;
  }
  return false;
}

// The tier of a level among the existing HyperNodes; if these have no tier names, the tier that our
// own would have.
std::optional<int64_t> TierThatExists(const GangInput& input, const std::string& key,
                                      bool has_names) {
  const std::vector<Value> hyper_nodes =
      input.cluster ? input.cluster->List(kHyperNodes) : std::vector<Value>();
  const std::optional<int64_t> planned = TierOf(input.topology, key);
  if (hyper_nodes.empty() && (!input.cluster || !input.cluster->AnyNode())) return planned;
  for (const Value& node : hyper_nodes) {
    const view::volcano::HyperNodeSpec spec = view::volcano::HyperNode(node).spec();
    if (spec.tierName() == key) return spec.tier();
    if (!has_names && planned && spec.tier() == *planned) return planned;
  }
  return std::nullopt;
}

}  // namespace

bool HasTopologyPlugin(const GangInput& input) {
  if (const auto options = input.profile.Config(); options.has_networkTopologyAware()) {
    return options.networkTopologyAware();
  }
  const Value& config = input.capabilities->Document(api::kConfigMaps, kSchedulerConfig);
  if (config.IsNull()) return true;
  for (const auto& [name, text] : view::core::ConfigMap(config).data()) {
    if (text.find("network-topology-aware") != std::string_view::npos) return true;
  }
  return false;
}

std::optional<int64_t> TierOf(const TopologyLevels& levels, std::string_view key) {
  if (key == api::labels::kHostname) return std::nullopt;
  const auto index = levels.IndexOf(key);
  if (!index) return std::nullopt;
  int64_t tier = 0;
  for (size_t i = *index; i < levels.levels.size(); ++i) {
    tier += levels.levels[i].key != api::labels::kHostname;
  }
  return tier;
}

std::optional<Value> HardTopology(const GangInput& input, const std::string& key) {
  const bool has_names = input.capabilities->HasField(kPodGroups, kTierNameField);
  const auto tier = TierThatExists(input, key, has_names);
  if (!tier) return std::nullopt;
  Value topology;
  const edit::volcano::NetworkTopology edit(topology);
  edit.set_mode("hard");
  if (has_names) {
    edit.set_highestTierName(key);
  } else {
    edit.set_highestTierAllowed(*tier);
  }
  return topology;
}

std::vector<DesiredObject> MakeHyperNodes(const GangInput& input, const Value& binding) {
  std::vector<DesiredObject> objects;
  if (!input.cluster || MadeByOthers(input, std::string(kube::Uid(binding)))) return objects;
  std::vector<TopologyLevel> levels;
  for (const TopologyLevel& level : LevelsFromBinding(binding).levels) {
    if (level.key != api::labels::kHostname) levels.push_back(level);
  }
  const std::string name(kube::Name(binding));
  const Children domains = FindDomains(input.cluster->List(api::kNodes), levels);
  for (size_t i = levels.size(); i-- > 0;) {
    for (const auto& [domain, below] : domains[i]) {
      Value object = kube::NewObject(kHyperNodes, "", HyperNodeName(name, levels[i], domain));
      const edit::volcano::HyperNodeSpec spec = edit::volcano::HyperNode(object).spec();
      spec.set_tier(static_cast<int64_t>(levels.size() - i)).set_tierName(levels[i].key);
      for (const std::string& child : below) {
        AddHyperNode(HyperNodeName(name, levels[i + 1], child), spec);
      }
      if (below.empty()) AddNodes(levels[i].key, domain, spec);
      objects.push_back({.resource = kHyperNodes, .object = std::move(object)});
    }
  }
  return objects;
}

}  // namespace coppice::backends::volcano
