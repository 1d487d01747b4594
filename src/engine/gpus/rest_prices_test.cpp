#include "engine/gpus/rest_prices.h"

#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

TEST(RestPrices, ARestThatNobodyFitsIsWaste) {
  RestPrices::Counts waiting{}, rests{};
  waiting[47] = 100;
  rests[19] = rests[53] = 10;
  RestPrices prices;
  prices.Update(waiting, rests);
  EXPECT_NEAR(prices.Waste(19), 0.19, 1e-9);
  EXPECT_NEAR(prices.Waste(53), 0.06, 0.02);
  EXPECT_EQ(prices.Waste(RestPrices::kWhole), 0);
}

TEST(RestPrices, ARestOfWhichThereAreTooManyIsWorthLittle) {
  RestPrices::Counts waiting{}, rests{};
  waiting[16] = 5;
  rests[19] = 500;
  RestPrices prices;
  prices.Update(waiting, rests);
  EXPECT_GT(prices.Waste(19), 0.15);
  rests[19] = 1;
  prices.Update(waiting, rests);
  prices.Update(waiting, rests);
  EXPECT_LT(prices.Waste(19), 0.1);
}

TEST(RestPrices, WithNobodyWaitingNothingIsWaste) {
  RestPrices::Counts rests{};
  rests[19] = 5;
  RestPrices prices;
  prices.Update({}, rests);
  EXPECT_EQ(prices.Waste(19), 0);
}

}  // namespace
}  // namespace coppice::engine
