#include "cli/text/terminal.h"

#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

const Terminal kColoured{.is_terminal = true, .colour = true, .width = 80};

TEST(TerminalText, ColoursTakeNoColumns) {
  EXPECT_EQ(Paint({}, Colour::kBad, "Failed"), "Failed");
  const std::string red = Paint(kColoured, Colour::kBad, "Failed");
  EXPECT_NE(red, "Failed");
  EXPECT_EQ(TextWidth(red), 6u);
  EXPECT_EQ(TextWidth("└─ a"), 4u);
}

TEST(TerminalText, IsCutWithAnEllipsis) {
  EXPECT_EQ(CutText("abcdef", 6), "abcdef");
  EXPECT_EQ(CutText("abcdef", 4), "abc…");
  EXPECT_EQ(CutText("└─┐x", 3), "└─…");
  EXPECT_EQ(CutText(Paint(kColoured, Colour::kBad, "abcdef"), 4), "\x1b[31mabc…\x1b[0m");
}

TEST(TerminalText, BreaksAtSpaces) {
  EXPECT_EQ(WrapText("one two three", 0, 2), "one two three");
  EXPECT_EQ(WrapText("one two three", 8, 2), "one two\n  three");
  EXPECT_EQ(WrapText("a verylongword b", 6, 0), "a\nverylongword\nb");
}

TEST(TerminalText, APipeHasNoColoursAndNoWidth) {
  const Terminal out = StandardOutput();  // Of a test, under ctest: not a terminal.
  if (out.is_terminal) GTEST_SKIP() << "standard output is a terminal";
  EXPECT_FALSE(out.colour);
  EXPECT_EQ(out.width, 0u);
}

}  // namespace
}  // namespace coppice::cli
