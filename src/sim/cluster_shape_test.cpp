#include "sim/cluster_shape.h"

#include <gtest/gtest.h>

#include <set>

#include "json/parse.h"
#include "kube/object.h"

namespace coppice::sim {
namespace {

TEST(Topology, NamesLevelsFromTheNarrowest) {
  const auto two = *ParseTopology("2x4");
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].domain, "block");
  EXPECT_EQ(two[1].domain, "rack");
  const auto four = *ParseTopology("4x8x8x2");
  EXPECT_EQ(four[0].domain, "zone");
  EXPECT_EQ(four[1].domain, "datacenter");
  EXPECT_EQ(four[3].domain, "rack");
}

TEST(Topology, RefusesWhatIsNotOne) {
  for (const char* text : {"", "x", "2x", "0x2", "-1", "2y3", "1x1x1x1x1x1", "99999999999"}) {
    EXPECT_FALSE(ParseTopology(text).ok()) << text;
  }
}

TEST(Nodes, SpreadEvenlyAndKeepNeighboursTogether) {
  ClusterShape shape;
  shape.levels = *ParseTopology("2x2");
  shape.pools = {{.count = 8, .gpus = 4}};
  const auto nodes = MakeNodes(shape);
  ASSERT_EQ(nodes.size(), 8u);
  std::map<std::string, int> per_rack;
  for (const auto& node : nodes) ++per_rack[std::string(kube::Label(node, "topo/rack"))];
  EXPECT_EQ(per_rack.size(), 4u);
  for (const auto& [rack, count] : per_rack) EXPECT_EQ(count, 2) << rack;
  EXPECT_EQ(kube::Label(nodes[0], "topo/rack"), kube::Label(nodes[1], "topo/rack"));
  EXPECT_EQ(nodes[0]["status"]["allocatable"]["nvidia.com/gpu"].AsString(), "4");
}

TEST(Shape, ReadsYamlFormAndNamesTheMistake) {
  const auto shape = ReadClusterShape(
      *json::Parse(R"({"topology":"3","pools":[{"prefix":"g","count":3,"gpus":8}]})"));
  ASSERT_TRUE(shape.ok());
  EXPECT_EQ(shape->NodeCount(), 3);
  const auto bad = ReadClusterShape(*json::Parse(R"({"pools":[{"prefix":"g","count":0}]})"));
  ASSERT_FALSE(bad.ok());
  EXPECT_NE(bad.error().message().find("count"), std::string::npos);
}

}  // namespace
}  // namespace coppice::sim
