#include "page/serve/access.h"

#include <gtest/gtest.h>

namespace coppice::page {
namespace {

class PageAccess : public testing::Test {
 protected:
  http::Request Ask(std::string target, http::Headers headers) {
    http::Request request;
    request.method = "GET";
    request.target = target;
    request.path = target.substr(0, target.find('?'));
    if (target.find('?') != target.npos) {
      request.query = http::Query::Parse(target.substr(target.find('?') + 1));
    }
    request.headers = std::move(headers);
    if (!request.headers.Has("host")) request.headers.Set("host", "127.0.0.1:80");
    return request;
  }
  int StatusOf(const http::Request& request) {
    const auto refusal = access_.Check(request);
    return refusal ? refusal->status : 200;
  }

  const Access access_{"secret", {"127.0.0.1", "::1"}, 80};
  const http::Headers cookie_{{"cookie", "other=1; coppice-page-80=secret"}};
};

TEST_F(PageAccess, LetsInWhoHasTheCookie) {
  EXPECT_EQ(StatusOf(Ask("/", {})), 401);
  EXPECT_EQ(StatusOf(Ask("/", {{"cookie", "coppice-page-80=secreT"}})), 401);
  EXPECT_EQ(StatusOf(Ask("/", {{"cookie", "coppice-page-81=secret"}})), 401);
  EXPECT_EQ(StatusOf(Ask("/", cookie_)), 200);
}

TEST_F(PageAccess, TheTokenInTheUrlSetsTheCookie) {
  const auto answer = access_.Check(Ask("/map?q=a&token=secret", {}));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 303);
  EXPECT_EQ(answer->headers.Get("location"), "/map?q=a");
  EXPECT_NE(answer->headers.Get("set-cookie").find("SameSite=Strict"), std::string_view::npos);
  EXPECT_EQ(access_.Check(Ask("//evil.example?token=secret", {}))->headers.Get("location"), "/");
  EXPECT_EQ(StatusOf(Ask("/?token=wrong", {})), 401);
}

TEST_F(PageAccess, RefusesStrangeHostsAndSites) {
  http::Headers headers = cookie_;
  headers.Set("host", "rebound.example:80");
  EXPECT_EQ(StatusOf(Ask("/", headers)), 421);
  headers.Set("host", "[::1]:80");
  EXPECT_EQ(StatusOf(Ask("/", headers)), 200);
  headers.Set("origin", "https://evil.example");
  EXPECT_EQ(StatusOf(Ask("/", headers)), 403);
  headers.Set("origin", "http://[::1]:80");
  EXPECT_EQ(StatusOf(Ask("/", headers)), 200);
  headers.Set("sec-fetch-site", "cross-site");
  EXPECT_EQ(StatusOf(Ask("/api/state", headers)), 403);
}

TEST_F(PageAccess, OnlyReads) {
  http::Request request = Ask("/", cookie_);
  request.method = "POST";
  EXPECT_EQ(StatusOf(request), 405);
}

}  // namespace
}  // namespace coppice::page
