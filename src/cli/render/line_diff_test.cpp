#include "cli/render/line_diff.h"

#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

TEST(LineDiff, EqualTextsHaveNone) { EXPECT_EQ(LineDiff("a\nb\n", "a\nb\n"), ""); }

TEST(LineDiff, ChangedLinesWithTheirSurroundings) {
  EXPECT_EQ(LineDiff("a\nb\nc\nd\ne\n", "a\nb\nx\nd\ne\n"), "  b\n- c\n+ x\n  d\n");
}

TEST(LineDiff, LinesThatOnlyOneSideHas) {
  EXPECT_EQ(LineDiff("", "a\n"), "+ a\n");
  EXPECT_EQ(LineDiff("a\n", ""), "- a\n");
  EXPECT_EQ(LineDiff("a\nb\n", "a\nn\nb\n"), "  a\n+ n\n  b\n");
}

}  // namespace
}  // namespace coppice::cli
