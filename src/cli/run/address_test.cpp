#include "cli/run/address.h"

#include <gtest/gtest.h>

namespace coppice::cli {
namespace {

std::string HostOf(std::string_view text) {
  const auto address = ParseAddress(text);
  return address ? address->host : address.error().message();
}

TEST(AddressTest, ReadsWhatPeopleWrite) {
  EXPECT_EQ(HostOf("127.0.0.1:8080"), "127.0.0.1");
  EXPECT_EQ(HostOf("localhost:8080"), "127.0.0.1");
  EXPECT_EQ(HostOf("[::1]:8080"), "::1");
  EXPECT_EQ(HostOf(":8080"), "0.0.0.0");
  EXPECT_EQ(ParseAddress("[::1]:8080")->port, 8080);
}

TEST(AddressTest, RefusesTheRest) {
  for (const char* text : {"", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "1.2.3.4:65536"}) {
    EXPECT_FALSE(ParseAddress(text)) << text;
  }
}

}  // namespace
}  // namespace coppice::cli
