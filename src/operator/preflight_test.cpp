#include "operator/preflight.h"

#include <gtest/gtest.h>

#include "operator/tests/rig/resources_testing.h"
#include "operator/tests/rig/sets_testing.h"

namespace coppice::operators {
namespace {

Config WithMnnvl() {
  Config config;
  config.auto_mnnvl = true;
  return config;
}

TEST(Preflight, WithoutMnnvlNothingIsNeeded) {
  World world(DefaultWorld());
  EXPECT_TRUE(CheckPrerequisites(*world.client, {}));
}

TEST(Preflight, MnnvlNeedsTheComputeDomainCrd) {
  World world(DefaultWorld());
  const base::Status missing = CheckPrerequisites(*world.client, WithMnnvl());
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("MNNVL preflight check failed"), std::string::npos);
  EXPECT_NE(missing.error().message().find("ComputeDomain CRD"), std::string::npos);
}

TEST(Preflight, MnnvlIsContentWithIt) {
  World::Options options = DefaultWorld();
  options.crds = {ComputeDomainCrd()};
  World world(std::move(options));
  const base::Status found = CheckPrerequisites(*world.client, WithMnnvl());
  EXPECT_TRUE(found) << found.error().message();
}

}  // namespace
}  // namespace coppice::operators
