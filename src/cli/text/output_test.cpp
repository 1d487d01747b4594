#include "cli/text/output.h"

#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

TEST(AlignColumns, AMessageOfSeveralLinesStaysInItsRow) {
  EXPECT_EQ(AlignColumns({{"POD", "WHY"}, {"worker", "no node: \nall are full.\n.\n"}, {"b", ""}}),
            "POD     WHY\n"
            "worker  no node: all are full.\n"
            "b\n");
}

TEST(AlignColumns, CountsCharactersAndNotBytes) {
  EXPECT_EQ(AlignColumns({{"└─ a", "x"}, {"abcd", "y"}}), "└─ a  x\nabcd  y\n");
}

TEST(AlignColumns, FitsIntoAWidth) {
  EXPECT_EQ(AlignColumns({{"a", "12345678901234567890"}}, 15), "a  12345678901…\n");
  EXPECT_EQ(AlignColumns({{"abcdefghijklmnop", "12345678901234567890"}}, 19),
            "abcdefgh…  1234567…\n");
  EXPECT_EQ(AlignColumns({{"a", "b"}}, 80), "a  b\n");
}

TEST(ParseFormat, KnowsTheFormatsOfKubectl) {
  EXPECT_EQ(*ParseFormat("wide"), Format::kWide);
  EXPECT_EQ(*ParseFormat("name"), Format::kName);
  const auto bad = ParseFormat("xml");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message(), "unknown output format \"xml\"; use wide, json, yaml or name");
}

}  // namespace
}  // namespace coppice::cli
