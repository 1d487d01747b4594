#include "base/forest.h"

#include <gmock/gmock.h>

namespace coppice::base {
namespace {

using ::testing::ElementsAre;

std::vector<int32_t> Depths(const std::vector<int32_t>& parents) {
  std::vector<int32_t> out;
  for (const Ancestry& ancestry : Ancestries(parents)) out.push_back(ancestry.depth);
  return out;
}

std::vector<int32_t> Tops(const std::vector<int32_t>& parents) {
  std::vector<int32_t> out;
  for (const Ancestry& ancestry : Ancestries(parents)) out.push_back(ancestry.top);
  return out;
}

TEST(Forest, CountsAncestors) {
  EXPECT_THAT(Depths({}), ElementsAre());
  EXPECT_THAT(Depths({-1, 0, 1, 0, -1, 4}), ElementsAre(0, 1, 2, 1, 0, 1));
  EXPECT_THAT(Tops({-1, 0, 1, 0, -1, 4}), ElementsAre(0, 0, 0, 0, 4, 4));
  EXPECT_THAT(Depths({1, 2, -1}), ElementsAre(2, 1, 0));
  EXPECT_THAT(Tops({1, 2, -1}), ElementsAre(2, 2, 2));
}

TEST(Forest, KnowsWhoIsInOrBelowACircle) {
  EXPECT_THAT(Depths({0}), ElementsAre(-1));
  EXPECT_THAT(Depths({1, 0, 1, -1, 3}), ElementsAre(-1, -1, -1, 0, 1));
  EXPECT_THAT(Tops({1, 0, 1, -1, 3}), ElementsAre(-1, -1, -1, 3, 3));
  EXPECT_THAT(Depths({2, -1, 3, 2}), ElementsAre(-1, 0, -1, -1));
}

// A walk from every node would take days.
TEST(Forest, IsLinear) {
  std::vector<int32_t> chain(4'000'000);
  for (size_t i = 0; i < chain.size(); ++i) chain[i] = static_cast<int32_t>(i) + 1;
  chain.back() = -1;
  EXPECT_EQ(Ancestries(chain).front().depth, static_cast<int32_t>(chain.size()) - 1);
  chain.back() = 0;
  EXPECT_EQ(Ancestries(chain).front().depth, -1);
}

}  // namespace
}  // namespace coppice::base
