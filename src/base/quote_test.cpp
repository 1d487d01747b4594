#include "base/quote.h"

#include <gtest/gtest.h>

namespace coppice::base {
namespace {

TEST(Quote, EscapesWhatJsonMust) {
  std::string out = "x=";
  AppendQuoted(std::string_view("a\"b\\c\n\r\t\x01\0é", 12), out);
  EXPECT_EQ(out, "x=\"a\\\"b\\\\c\\n\\r\\t\\u0001\\u0000é\"");
  out.clear();
  AppendQuoted("", out);
  EXPECT_EQ(out, "\"\"");
}

}  // namespace
}  // namespace coppice::base
