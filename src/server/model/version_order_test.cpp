#include "server/model/version_order.h"

#include <gtest/gtest.h>

#include <string>

namespace coppice::server {
namespace {

TEST(VersionOrder, StableFirstThenHigherNumbers) {
  EXPECT_TRUE(IsBetterVersion("v2", "v1"));
  EXPECT_TRUE(IsBetterVersion("v10", "v9"));
  EXPECT_TRUE(IsBetterVersion("v1", "v2beta3"));
  EXPECT_TRUE(IsBetterVersion("v1beta1", "v1alpha2"));
  EXPECT_TRUE(IsBetterVersion("v1beta2", "v1beta1"));
  EXPECT_FALSE(IsBetterVersion("v1", "v1"));
}

TEST(VersionOrder, NumbersBeyondEveryTypeAreEqual) {
  const std::string huge = "v" + std::string(60, '9');
  EXPECT_TRUE(IsBetterVersion(huge, "v1"));
  EXPECT_FALSE(IsBetterVersion(huge, "v1" + std::string(59, '0')));
}

}  // namespace
}  // namespace coppice::server
