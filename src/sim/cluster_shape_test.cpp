#include "sim/cluster_shape.h"

#include <gtest/gtest.h>

#include <set>

#include "base/files.h"
#include "json/parse.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"
#include "source_dir.h"

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

TEST(Shape, ReadsYamlForm) {
  const auto shape = ReadClusterShape(
      *json::Parse(R"({"topology":3,"pools":[{"prefix":"g","count":3,"gpus":8,"memory":1024}]})"));
  ASSERT_TRUE(shape.ok()) << shape.error().ToString();
  EXPECT_EQ(shape->NodeCount(), 3);
  EXPECT_EQ(shape->levels.size(), 1u);
  EXPECT_EQ(shape->pools[0].memory, "1024");
  EXPECT_EQ(ReadClusterShape(json::Value())->NodeCount(), 0);
}

// The example in the documentation has every field.
TEST(Shape, ReadsTheDocumentedExample) {
  const auto text = base::ReadFile(std::string(COPPICE_SOURCE_DIR) + "/docs/simulated_cluster.md");
  ASSERT_TRUE(text.ok()) << text.error().ToString();
  const size_t begin = text->find("```yaml\n") + 8;
  const auto document = json::ParseYaml(text->substr(begin, text->find("```", begin) - begin));
  ASSERT_TRUE(document.ok()) << document.error().ToString();
  const auto shape = ReadClusterShape(*document);
  ASSERT_TRUE(shape.ok()) << shape.error().ToString();
  EXPECT_EQ(shape->NodeCount(), 20);
  EXPECT_EQ(shape->pools[0].devices->extended_resource, "example.com/gpu");
  EXPECT_EQ(MakeNodes(*shape)[0]["spec"]["taints"].size(), 1u);
}

TEST(Shape, NamesTheMistake) {
  for (const auto& [text, mistake] :
       {std::pair(R"({"pools":[{"prefix":"g","count":0}]})", "count"),
        {R"({"pools":[{"count":4294967297}]})", "count must be a number between 1 and 200000"},
        {R"({"pools":[{"count":1,"gpus":"8"}]})", "gpus must be a number between 0 and 1000"},
        {R"({"pools":[{"count":1,"maxPods":0}]})", "maxPods"},
        {R"({"pools":[{"count":1,"gpu":8}]})", "unknown field \"gpu\""},
        {R"({"topologie":"3"})", "unknown field \"topologie\""},
        {R"({"topology":[3]})", "topology"},
        {R"({"pools":{"a":"b"}})", "pools: must be a list"},
        {R"({"pools":["a"]})", "pools: must be an object"},
        {R"({"levels":"rack"})", "levels: must be a list"},
        {R"({"pools":[{"count":1},{"count":2}]})", "two have the prefix \"node-\""},
        {R"({"pools":[{"count":1,"labels":5}]})", "labels must be an object"},
        {R"({"pools":[{"count":1,"taints":{}}]})", "taints must be a list"},
        {R"({"pools":[{"count":1,"numa":{"zone":1}}]})", "unknown field \"zone\""},
        {R"("text")", "the cluster: must be an object"}}) {
    const auto bad = ReadClusterShape(*json::Parse(text));
    ASSERT_FALSE(bad.ok()) << text;
    EXPECT_NE(bad.error().message().find(mistake), std::string::npos) << bad.error().message();
  }
}

}  // namespace
}  // namespace coppice::sim
