#include "operator/webhooks/go_duration.h"

#include <gtest/gtest.h>

namespace coppice::operators::webhooks {
namespace {

std::string Said(std::string_view text) {
  const base::Status checked = CheckGoDuration(text);
  return checked ? "" : checked.error().message();
}

TEST(GoDuration, WhatGoTakes) {
  for (const char* text :
       {"0", "+0", "-0", "4h", "1h30m", "1.5s", ".5s", "5.s", "-1s", "+3ms", "7us", "7µs", "7μs",
        "1ns", "0s", "2562047h47m16.854775807s", "-2562047h47m16.854775808s"}) {
    EXPECT_EQ(Said(text), "") << text;
  }
}

TEST(GoDuration, WhatGoSaysAboutTheRest) {
  EXPECT_EQ(Said(""), R"(time: invalid duration "")");
  EXPECT_EQ(Said("-"), R"(time: invalid duration "-")");
  EXPECT_EQ(Said("abc"), R"(time: invalid duration "abc")");
  EXPECT_EQ(Said("."), R"(time: invalid duration ".")");
  EXPECT_EQ(Said(".s"), R"(time: invalid duration ".s")");
  EXPECT_EQ(Said(" 1s"), R"(time: invalid duration " 1s")");
  EXPECT_EQ(Said("5"), R"(time: missing unit in duration "5")");
  EXPECT_EQ(Said("1h5"), R"(time: missing unit in duration "1h5")");
  EXPECT_EQ(Said("2d"), R"(time: unknown unit "d" in duration "2d")");
  EXPECT_EQ(Said("1h 30m"), R"(time: unknown unit "h " in duration "1h 30m")");
  EXPECT_EQ(Said("1s-1s"), R"(time: unknown unit "s-" in duration "1s-1s")");
  EXPECT_EQ(Said("3000000h"), R"(time: invalid duration "3000000h")");
  EXPECT_EQ(Said("9223372036854775808ns"), R"(time: invalid duration "9223372036854775808ns")");
  EXPECT_EQ(Said("99999999999999999999s"), R"(time: invalid duration "99999999999999999999s")");
  EXPECT_EQ(Said("1\"\\\n\xc3\xbc"),
            R"(time: unknown unit "\"\\\x0a\xc3\xbc" in duration "1\"\\\x0a\xc3\xbc")");
}

}  // namespace
}  // namespace coppice::operators::webhooks
