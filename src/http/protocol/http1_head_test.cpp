#include "http/protocol/http1_head.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::RawConnection;
using ::testing::StartsWith;
using testing::TestHandler;

struct Case {
  const char* fields;
  const char* body;
  bool taken;
};

// Where two readers could disagree about where a request ends or whom it is for, it is refused.
TEST(Http1HeadTest, RefusesAmbiguousRequests) {
  constexpr Case kCases[] = {
      {"host: x\r\n", "", true},
      {"host:\r\n", "", true},
      {"host: [::1]:6443\r\n", "", true},
      {"", "", false},
      {"host: x\r\nhost: x\r\n", "", false},
      {"host: x\r\nHOST: y\r\n", "", false},
      {"host: a b\r\n", "", false},
      {"host: a/b\r\n", "", false},
      {"host: x@y\r\n", "", false},
      {"host: \x80\r\n", "", false},
      {"host: x\r\ntransfer-encoding: chunked\r\n", "1\r\nx\r\n0\r\n\r\n", true},
      {"host: x\r\nTransfer-Encoding: Chunked\r\n", "0\r\n\r\n", true},
      {"host: x\r\ntransfer-encoding: xchunked\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: chunkedx\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: identity\r\n", "", false},
      {"host: x\r\ntransfer-encoding:\r\n", "", false},
      {"host: x\r\ntransfer-encoding: gzip, chunked\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: chunked, identity\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: chunked, chunked\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: \"chunked\"\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: chunked;q=1\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\n",
       false},
      {"host: x\r\ntransfer-encoding: chunked\r\ntransfer-encoding: x\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding : chunked\r\n", "0\r\n\r\n", false},
      {"host: x\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n", "0\r\n\r\n", false},
      {"host: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n", "0\r\n\r\n", false},
      {"host: x\r\ncontent-length: 0\r\ntransfer-encoding: xchunked\r\n", "", false},
      {"host: x\r\ncontent-length: 2\r\n", "ab", true},
      {"host: x\r\ncontent-length: 2\r\ncontent-length: 2\r\n", "ab", true},
      {"host: x\r\ncontent-length: 02\r\n", "ab", true},
      {"host: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n", "abc", false},
      {"host: x\r\ncontent-length: 2, 2\r\n", "ab", false},
      {"host: x\r\ncontent-length: 2,\r\n", "ab", false},
      {"host: x\r\ncontent-length: +2\r\n", "ab", false},
      {"host: x\r\ncontent-length: -2\r\n", "ab", false},
      {"host: x\r\ncontent-length: 2 2\r\n", "ab", false},
      {"host: x\r\ncontent-length: 0x2\r\n", "ab", false},
      {"host: x\r\ncontent-length: 2.0\r\n", "ab", false},
      {"host: x\r\ncontent-length: x\r\n", "ab", false},
      {"host: x\r\ncontent-length:\r\n", "", false},
      {"host: x\r\ncontent-length: 9223372036854775808\r\n", "", false},
      {"host: x\r\ncontent-length: 18446744073709551618\r\n", "ab", false},
  };
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  int taken = 0;
  for (const Case& each : kCases) {
    RawConnection connection(server->port());
    ASSERT_TRUE(connection.Send(fmt::format("POST /echo HTTP/1.1\r\n{}connection: close\r\n\r\n{}",
                                            each.fields, each.body)));
    EXPECT_THAT(connection.ReadAll(), StartsWith(each.taken ? "HTTP/1.1 200 " : "HTTP/1.1 400 "))
        << each.fields;
    taken += each.taken;
  }
  EXPECT_EQ(handler.count(), taken) << "what was refused reached no handler";
}

TEST(Http1HeadTest, KeepsToTheRulesOfHttp10) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  for (const auto& [fields, status] : std::initializer_list<std::pair<const char*, const char*>>{
           {"", "HTTP/1.1 200 "},
           {"host: x\r\n", "HTTP/1.1 200 "},
           {"host: x\r\nhost: x\r\n", "HTTP/1.1 400 "},
           {"transfer-encoding: chunked\r\n", "HTTP/1.1 400 "}}) {
    RawConnection connection(server->port());
    ASSERT_TRUE(connection.Send(fmt::format("POST /echo HTTP/1.0\r\n{}\r\n0\r\n\r\n", fields)));
    EXPECT_THAT(connection.ReadAll(), StartsWith(status)) << fields;
  }
}

// A trailer comes after whatever the header was checked for.
TEST(Http1HeadTest, TrailersAreNoHeaders) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  RawConnection connection(server->port());
  ASSERT_TRUE(
      connection.Send("POST /headers HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n"
                      "trailer: authorization\r\nconnection: close\r\n\r\n3\r\nabc\r\n0\r\n"
                      "Authorization: Bearer x\r\nImpersonate-User: admin\r\nhost: y\r\n\r\n"));
  const std::string answer = connection.ReadAll();
  EXPECT_THAT(answer, HasSubstr("trailer: authorization\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Bearer")));
  EXPECT_THAT(answer, Not(HasSubstr("impersonate")));
  EXPECT_THAT(answer, Not(HasSubstr("host: y")));
}

TEST(Http1HeadTest, ReadsAHeadInPiecesOfAnySize) {
  const std::string wire =
      "POST /path?q=1 HTTP/1.1\r\nHost: x\r\nA: 1\r\na:\t2 \r\ncontent-length: 3\r\n\r\nabc";
  for (size_t piece = 1; piece <= wire.size(); ++piece) {
    Http1HeadParser parser(1000);
    std::string held;
    for (size_t at = 0; at < wire.size() && !parser.complete(); at += piece) {
      held += wire.substr(at, piece);
      std::string_view input = held;
      ASSERT_FALSE(parser.Parse(input));
      held = input;
    }
    ASSERT_TRUE(parser.complete());
    const Http1Head head = parser.Take();
    EXPECT_EQ(head.request.target, "/path?q=1");
    EXPECT_EQ(head.request.headers.Joined("a"), "1, 2");
    EXPECT_EQ(head.length, 3u);
    EXPECT_EQ(head.bytes, wire.size() - 3);
  }
}

}  // namespace
}  // namespace coppice::http
