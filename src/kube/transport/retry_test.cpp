#include "kube/transport/retry.h"

#include <gtest/gtest.h>

namespace coppice::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

http::Exchange Answer(int status, std::string_view retry_after = "") {
  http::Response response{.status = status};
  if (!retry_after.empty()) response.headers.Set("retry-after", retry_after);
  return {response};
}
http::Exchange Broken(bool sent, base::ErrorCode code = base::ErrorCode::kUnavailable) {
  return {base::Error(code, "broken"), sent};
}
bool Retries(std::string_view method, const http::Exchange& exchange) {
  return RetryDelay({}, method, exchange, 1, 0).has_value();
}

TEST(RetryTest, RepeatsWhatNeverLeft) {
  EXPECT_TRUE(Retries("POST", Broken(false)));
  EXPECT_TRUE(Retries("GET", Broken(false)));
}

TEST(RetryTest, RepeatsOnlyReadsThatMayHaveArrived) {
  EXPECT_TRUE(Retries("GET", Broken(true)));
  EXPECT_FALSE(Retries("POST", Broken(true)));
  EXPECT_FALSE(Retries("PATCH", Broken(true)));
  EXPECT_FALSE(Retries("GET", Broken(true, base::ErrorCode::kUnauthorized)));
}

TEST(RetryTest, ComesBackWhenTold) {
  EXPECT_TRUE(Retries("POST", Answer(429, "1")));
  EXPECT_TRUE(Retries("POST", Answer(503, "1")));
  EXPECT_GE(*RetryDelay({}, "POST", Answer(429, "3"), 1, 0), seconds(3));
  EXPECT_FALSE(Retries("POST", Answer(429))) << "a disruption budget says no, not later";
  EXPECT_FALSE(Retries("POST", Answer(429, "3600"))) << "too long to hold a caller";
}

TEST(RetryTest, LeavesAnswersAlone) {
  for (const int status : {200, 400, 404, 409, 410, 422, 500}) {
    EXPECT_FALSE(Retries("GET", Answer(status))) << status;
  }
  EXPECT_TRUE(Retries("GET", Answer(503)));
  EXPECT_FALSE(Retries("PUT", Answer(503)));
}

TEST(RetryTest, BacksOffWithJitterAndGivesUp) {
  const RetryOptions options{.max_attempts = 4, .first_delay = milliseconds(100)};
  for (const uint32_t random : {0u, 17u, 12345u}) {
    milliseconds full(100);
    for (int attempt = 1; attempt < 4; ++attempt, full *= 2) {
      const auto delay = RetryDelay(options, "GET", Answer(503), attempt, random);
      ASSERT_TRUE(delay);
      EXPECT_GE(*delay, full / 2);
      EXPECT_LE(*delay, full);
    }
    EXPECT_FALSE(RetryDelay(options, "GET", Answer(503), 4, random));
  }
}

}  // namespace
}  // namespace coppice::kube
