#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>

namespace coppice::api::grove {

// Domains (names of topology levels) that pods should share.
struct TopologyPack {
  std::optional<std::string> required;
  std::optional<std::string> preferred;

  friend bool operator==(const TopologyPack&, const TopologyPack&) = default;
};
BOOST_DESCRIBE_STRUCT(TopologyPack, (), (required, preferred))

// How close the pods of a set, group or clique must sit. `packDomain` is the deprecated name of
// `pack.required`.
struct TopologyConstraint {
  std::optional<std::string> topologyName;
  std::optional<TopologyPack> pack;
  std::optional<std::string> packDomain;

  std::string RequiredDomain() const {
    if (pack && pack->required && !pack->required->empty()) return *pack->required;
    return packDomain.value_or("");
  }
  std::string PreferredDomain() const { return pack ? pack->preferred.value_or("") : ""; }
  std::string Topology() const { return topologyName.value_or(""); }

  friend bool operator==(const TopologyConstraint&, const TopologyConstraint&) = default;
};
BOOST_DESCRIBE_STRUCT(TopologyConstraint, (), (topologyName, pack, packDomain))

}  // namespace coppice::api::grove
