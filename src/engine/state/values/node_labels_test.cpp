#include "engine/state/values/node_labels.h"

#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

TEST(NodeLabels, AreReadLikeAnyLabels) {
  Names names;
  const NodeLabels labels({{"rack", "r1"}, {"host", "n1"}}, names);
  const NamedLabels named(names, labels);
  EXPECT_EQ(named.Find("rack"), "r1");
  EXPECT_EQ(named.Find("block"), std::nullopt);
  const NodeSelector here{{{{{"host", SelectorOperator::kIn, {"n1", "n2"}}}, {}}}};
  EXPECT_TRUE(Matches(here, named, "n1"));
  const NodeSelector by_name{{{{}, {{"metadata.name", SelectorOperator::kIn, {"n2"}}}}}};
  EXPECT_FALSE(Matches(by_name, named, "n1"));
}

TEST(NodeLabels, AreEqualByContent) {
  Names names;
  const NodeLabels a({{"rack", "r1"}, {"host", "n1"}}, names);
  EXPECT_EQ(a, NodeLabels({{"host", "n1"}, {"rack", "r1"}}, names));
  EXPECT_NE(a, NodeLabels({{"host", "n1"}, {"rack", "r2"}}, names));
  EXPECT_NE(a, NodeLabels());
}

TEST(NodeLabels, ANodeWithoutLabelsHasNone) {
  Names names;
  const NodeLabels labels;
  EXPECT_EQ(labels.Find(names, ""), std::nullopt);
}

// Names are found by their text, although the index only holds ids.
TEST(Names, KeepEachTextOnce) {
  Names names;
  std::vector<NameId> ids;
  for (int i = 0; i < 5000; ++i) ids.push_back(names.Intern("name-" + std::to_string(i)));
  for (int i = 0; i < 5000; ++i) {
    const std::string text = "name-" + std::to_string(i);
    ASSERT_EQ(names.Intern(text), ids[i]);
    ASSERT_EQ(names.Find(text), ids[i]);
    ASSERT_EQ(names.Text(ids[i]), text);
  }
  EXPECT_EQ(names.Find("other"), Names::kMissing);
  EXPECT_EQ(names.Find(""), 0u);
}

}  // namespace
}  // namespace coppice::engine
