#include "engine/shares/fair_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

std::vector<double> Divide(double total, double k, std::vector<ShareRequest> queues) {
  for (size_t i = 0; i < queues.size(); ++i) {
    queues[i].creation = base::Time(std::chrono::seconds(i));
    queues[i].name_rank = static_cast<int>(i);
  }
  DivideFairShare(total, k, 1, queues);
  std::vector<double> shares;
  for (const auto& queue : queues) shares.push_back(queue.fair_share);
  return shares;
}

TEST(FairShare, RestGoesByWeight) {
  EXPECT_THAT(Divide(100, 0,
                     {{.deserved = 10, .weight = 3, .request = 100},
                      {.deserved = 10, .weight = 1, .request = 100}}),
              ElementsAre(70, 30));
}

TEST(FairShare, LeftoverUnitsGoToTheOldestFirst) {
  const ShareRequest queue{.weight = 1, .request = 10};
  EXPECT_THAT(Divide(10, 0, {queue, queue, queue}), ElementsAre(4, 3, 3));
}

TEST(FairShare, HigherPriorityIsServedBeforeWeight) {
  EXPECT_THAT(Divide(10, 0,
                     {{.weight = 1, .request = 4, .priority = 2},
                      {.weight = 100, .request = 10, .priority = 1}}),
              ElementsAre(4, 6));
}

TEST(FairShare, PastUsageLowersTheWeight) {
  EXPECT_THAT(
      Divide(8, 1,
             {{.weight = 1, .usage = 0.5, .request = 8}, {.weight = 1, .usage = 0, .request = 8}}),
      ElementsAre(3, 5));
}

}  // namespace
}  // namespace coppice::engine
