#include "base/quantity.h"

#include <gtest/gtest.h>

namespace coppice::base {
namespace {

std::string Canonical(std::string_view text) { return Quantity::Parse(text)->ToString(); }

TEST(Quantity, ReadsEverySuffix) {
  EXPECT_EQ(Quantity::Parse("100m")->MilliValue(), 100);
  EXPECT_EQ(Quantity::Parse("2")->MilliValue(), 2000);
  EXPECT_EQ(Quantity::Parse("20k")->Value(), 20'000);
  EXPECT_EQ(Quantity::Parse("1.5Gi")->Value(), 1610612736);
  EXPECT_EQ(Quantity::Parse("2e3")->Value(), 2000);
  EXPECT_EQ(Quantity::Parse("1E")->Value(), 1'000'000'000'000'000'000);
  EXPECT_EQ(Quantity::Parse("-3")->Value(), -3);
}

TEST(Quantity, AddsUpAcrossSuffixes) {
  const Quantity sum = *Quantity::Parse("100m") + *Quantity::Parse("0.5") + *Quantity::Parse("1Ki");
  EXPECT_EQ(sum.MilliValue(), 1'024'600);
}

TEST(Quantity, RoundsUpAndCaps) {
  EXPECT_EQ(Quantity::Parse("1m")->Value(), 1);
  EXPECT_EQ(Quantity::Parse("0.0001")->MilliValue(), 1);
  EXPECT_EQ(Quantity::Parse("99999999999999999999")->Value(), INT64_MAX);
  EXPECT_EQ(Quantity::Parse("100Ei")->Value(), INT64_MAX);
}

TEST(Quantity, WritesTheCanonicalForm) {
  EXPECT_EQ(Canonical("1000m"), "1");
  EXPECT_EQ(Canonical("1500m"), "1500m");
  EXPECT_EQ(Canonical("0.5"), "500m");
  EXPECT_EQ(Canonical("1024Mi"), "1Gi");
  EXPECT_EQ(Canonical("0.5Gi"), "512Mi");
  EXPECT_EQ(Canonical("1000k"), "1M");
  EXPECT_EQ(Canonical("12e6"), "12e6");
  EXPECT_EQ(Canonical("0"), "0");
}

TEST(Quantity, RefusesWhatIsNotAQuantity) {
  for (const char* text : {"", "m", ".", "1.2.3", "1x", "1 Gi", "e3", "1e", "--1", "1Kim"}) {
    EXPECT_FALSE(Quantity::Parse(text).ok()) << text;
  }
}

}  // namespace
}  // namespace coppice::base
