#include "engine/gpus/workload.h"

#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

const base::Time kStart{std::chrono::hours(1)};

class WorkloadTest : public ::testing::Test {
 protected:
  Configuration configuration_ = Configuration::Defaults();
  Cluster cluster_{configuration_};
  Workload workload_;
};

TEST_F(WorkloadTest, RemembersABoundedNumberOfClasses) {
  workload_.FadeTo(kStart);
  for (ClassId cls = 0; cls < 1000; ++cls) {
    for (int i = 0; i <= cls; ++i) workload_.Saw(cls);
  }
  workload_.FadeTo(kStart);
  EXPECT_EQ(workload_.size(), Workload::kMost);
}

TEST_F(WorkloadTest, ForgetsWhatWasLongAgo) {
  workload_.FadeTo(kStart);
  workload_.Saw(0);
  workload_.FadeTo(kStart + Workload::kHalfLife);
  EXPECT_EQ(workload_.size(), 1u);
  // A clock that jumps back changes nothing.
  workload_.FadeTo(kStart);
  EXPECT_EQ(workload_.size(), 1u);
  workload_.FadeTo(kStart + 10 * Workload::kHalfLife);
  EXPECT_EQ(workload_.size(), 0u);
}

TEST_F(WorkloadTest, ExpectsNothingOfAnEmptyCluster) {
  EXPECT_TRUE(workload_.Expect(cluster_).empty());
}

}  // namespace
}  // namespace coppice::engine
