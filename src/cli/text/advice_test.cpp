#include "cli/text/advice.h"

#include <gmock/gmock.h>

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

TEST(Advice, SaysWhatToDo) {
  EXPECT_THAT(WithAdvice(base::Unavailable("Couldn't connect to server")),
              HasSubstr("Couldn't connect to server\nIs the API server running?"));
  EXPECT_THAT(WithAdvice({base::ErrorCode::kForbidden, "pods is forbidden"}), HasSubstr("-n"));
  EXPECT_THAT(WithAdvice({base::ErrorCode::kForbidden, "nodes is forbidden at the cluster scope"}),
              HasSubstr("about the whole cluster"));
  EXPECT_THAT(WithAdvice({base::ErrorCode::kUnauthorized, "Unauthorized"}),
              HasSubstr("log in again"));
  EXPECT_EQ(WithAdvice(base::NotFound("there is no job \"a\"")), "there is no job \"a\"");
}

}  // namespace
}  // namespace coppice::cli
