#include "services/scheduler/options/partition.h"

#include <gtest/gtest.h>

#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

TEST(Partition, HasThreeModes) {
  const json::Value plain = Doc("metadata: {name: x}");
  const json::Value pool_a = Doc("metadata: {name: x, labels: {pool: a}}");
  const json::Value empty = Doc("metadata: {name: x, labels: {pool: ''}}");
  const Partition everything("", "");
  for (const json::Value* object : {&plain, &pool_a, &empty}) {
    EXPECT_TRUE(everything.Contains(*object));
  }
  const Partition unlabelled("pool", "");
  EXPECT_TRUE(unlabelled.Contains(plain));
  EXPECT_FALSE(unlabelled.Contains(pool_a));
  EXPECT_FALSE(unlabelled.Contains(empty)) << "a label without a value is a label";
  const Partition one("pool", "a");
  EXPECT_FALSE(one.Contains(plain));
  EXPECT_TRUE(one.Contains(pool_a));
  EXPECT_FALSE(one.Contains(empty));
}

}  // namespace
}  // namespace coppice::services::scheduler
