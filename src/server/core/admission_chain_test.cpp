#include "server/core/admission_chain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace coppice::server {
namespace {

// An object can have a hundred thousand unknown fields, each of which is compared with what is
// kept.
TEST(Remarks, KeepAsManyWarningsAsAreSent) {
  Remarks remarks;
  for (int i = 0; i < 100'000; ++i) remarks.Warn(fmt::format("unknown field \"field-{}\"", i));
  size_t bytes = 0;
  for (const std::string& warning : remarks.warnings()) bytes += warning.size();
  EXPECT_GE(bytes, 4096u) << "all that fits into a response";
  EXPECT_LE(bytes, 9000u);
  EXPECT_EQ(remarks.warnings().front(), "unknown field \"field-0\"");
}

TEST(Remarks, SayEachThingOnce) {
  Remarks remarks;
  remarks.Warn("a");
  remarks.Warn("b");
  remarks.Warn("a");
  EXPECT_EQ(remarks.warnings(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace coppice::server
