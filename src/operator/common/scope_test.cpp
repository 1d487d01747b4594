#include "operator/common/scope.h"

#include <gtest/gtest.h>

namespace coppice::operators::podcliqueset {
namespace {

TEST(Scope, KnowsTheReplicasThatExist) {
  EXPECT_EQ(Scope::All().Of(3), (std::vector{0, 1, 2}));
  EXPECT_EQ(Scope::Only({0, 2, 7}).Of(3), (std::vector{0, 2}));
  EXPECT_TRUE(Scope::Only({}).Of(3).empty());
  EXPECT_TRUE(Scope::All().Of(-1).empty());
}

}  // namespace
}  // namespace coppice::operators::podcliqueset
