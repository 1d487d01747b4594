#include "services/common/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::services {
namespace {

using ::testing::HasSubstr;

struct Options {
  std::string text = "a";
  bool on = true;
  bool off = false;
  int number = 1;
  base::Duration seconds{}, duration{};
  json::Value object;
  std::map<std::string, std::string> pairs;
  std::string same;
};

class FlagsTest : public ::testing::Test {
 protected:
  FlagsTest() {
    flags.Text("text", options.text)
        .Text("text", options.same)
        .Switch("on", options.on)
        .Switch("off", options.off)
        .Integer("number", options.number)
        .Seconds("seconds", options.seconds)
        .Duration("duration", options.duration)
        .Json("object", options.object)
        .Pairs("pairs", options.pairs)
        .Ignored("old");
  }
  std::string Error(std::vector<std::string> arguments) {
    const base::Status parsed = flags.Parse(arguments);
    return parsed ? "" : parsed.error().message();
  }

  Options options;
  FlagSet flags;
};

TEST_F(FlagsTest, TakesEverySpelling) {
  ASSERT_EQ(Error({"--text", "b", "-off", "--on=false", "--number=-3", "--seconds=40", "--duration",
                   "1m30s", "--object={\"a\":1}", "--pairs=a=b,c=d", "--old", "x"}),
            "");
  EXPECT_EQ(options.text, "b");
  EXPECT_EQ(options.same, "b");
  EXPECT_FALSE(options.on);
  EXPECT_TRUE(options.off);
  EXPECT_EQ(options.number, -3);
  EXPECT_EQ(options.seconds, std::chrono::seconds(40));
  EXPECT_EQ(options.duration, std::chrono::seconds(90));
  EXPECT_EQ(options.object["a"].AsInt(), 1);
  EXPECT_EQ(options.pairs.at("c"), "d");
}

TEST_F(FlagsTest, ErrorsNameTheFlag) {
  EXPECT_THAT(Error({"--nothing"}), HasSubstr("unknown flag: --nothing"));
  EXPECT_THAT(Error({"--number=x"}), HasSubstr("--number"));
  EXPECT_THAT(Error({"--on=maybe"}), HasSubstr("--on"));
  EXPECT_THAT(Error({"--pairs=a"}), HasSubstr("key=value"));
  EXPECT_THAT(Error({"--object=[]"}), HasSubstr("JSON object"));
  EXPECT_THAT(Error({"--text"}), HasSubstr("needs a value"));
  EXPECT_THAT(Error({"text"}), HasSubstr("no flag"));
}

}  // namespace
}  // namespace coppice::services
