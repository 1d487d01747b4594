#include "cli/text/age.h"

#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

using namespace std::chrono_literals;

TEST(Age, HasTheUnitsOfKubectl) {
  EXPECT_EQ(ShortDuration(-5s), "0s");
  EXPECT_EQ(ShortDuration(119s), "119s");
  EXPECT_EQ(ShortDuration(120s), "2m");
  EXPECT_EQ(ShortDuration(252s), "4m12s");
  EXPECT_EQ(ShortDuration(90min), "90m");
  EXPECT_EQ(ShortDuration(5h + 3min), "5h3m");
  EXPECT_EQ(ShortDuration(30h), "30h");
  EXPECT_EQ(ShortDuration(53h), "2d5h");
  EXPECT_EQ(ShortDuration(240h), "10d");
}

TEST(Age, OfATimestamp) {
  const base::Time now = *base::ParseRfc3339("2026-01-01T00:01:00Z");
  EXPECT_EQ(AgeOf("2026-01-01T00:00:00Z", now), "60s");
  EXPECT_EQ(AgeOf("", now), "");
}

}  // namespace
}  // namespace coppice::cli
