#include "cli/common/output.h"

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

}  // namespace
}  // namespace coppice::cli
