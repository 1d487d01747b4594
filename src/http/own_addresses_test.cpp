#include "http/own_addresses.h"

#include <gmock/gmock.h>

namespace coppice::http {
namespace {

TEST(OwnAddressesTest, HasTheLoopbackAddress) {
  EXPECT_THAT(OwnAddresses(), ::testing::Contains("127.0.0.1"));
}

}  // namespace
}  // namespace coppice::http
