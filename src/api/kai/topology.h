#pragma once

#include <boost/describe/class.hpp>
#include <string>
#include <vector>

namespace coppice::api::kai {

struct TopologyLevel {
  std::string nodeLabel;
  std::string alias;
};
BOOST_DESCRIBE_STRUCT(TopologyLevel, (), (nodeLabel, alias))

struct TopologySpec {
  std::vector<TopologyLevel> levels;  // Widest first.
};
BOOST_DESCRIBE_STRUCT(TopologySpec, (), (levels))

}  // namespace coppice::api::kai
