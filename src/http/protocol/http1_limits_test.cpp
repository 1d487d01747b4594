#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server/limits.h"
#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using ::testing::HasSubstr;
using testing::HeapBytes;
using testing::RawConnection;
using ::testing::StartsWith;
using testing::TestHandler;

constexpr size_t kFlood = 64 << 20;
constexpr size_t kMebibyte = 1 << 20;
constexpr const char* kChunkedPost =
    "POST /echo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";

struct FloodCase {
  const char* name;
  std::string begin, endless;
  const char* status;
};

// What one peer can send without end, and what it costs.
class Http1LimitsTest : public ::testing::TestWithParam<FloodCase> {};

INSTANTIATE_TEST_SUITE_P(
    Floods, Http1LimitsTest,
    ::testing::Values(
        FloodCase{"RequestLine", "GET /", std::string(1000, 'a'), "HTTP/1.1 431 "},
        FloodCase{"OneField", "GET / HTTP/1.1\r\nhost: x\r\na: ", std::string(1000, 'a'),
                  "HTTP/1.1 431 "},
        FloodCase{"Fields", "GET / HTTP/1.1\r\nhost: x\r\n", "a: b\r\n", "HTTP/1.1 431 "},
        FloodCase{"OneExtension", std::string(kChunkedPost) + "1;", std::string(1000, 'a'),
                  "HTTP/1.1 400 "},
        FloodCase{"Extensions", kChunkedPost, "1;" + std::string(1000, 'e') + "\r\nx\r\n",
                  "HTTP/1.1 400 "},
        FloodCase{"OneTrailer", std::string(kChunkedPost) + "0\r\na: ", std::string(1000, 'a'),
                  "HTTP/1.1 400 "},
        FloodCase{"Trailers", std::string(kChunkedPost) + "0\r\n", "a: b\r\n", "HTTP/1.1 400 "},
        FloodCase{"ChunkedBody", kChunkedPost, "3e8\r\n" + std::string(1000, 'x') + "\r\n",
                  "HTTP/1.1 413 "},
        FloodCase{"SmallChunks", kChunkedPost, "1\r\nx\r\n", "HTTP/1.1 413 "},
        FloodCase{"Body", "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\n",
                  std::string(1000, 'x'), "HTTP/1.1 413 "}),
    [](const auto& each) { return each.param.name; });

TEST_P(Http1LimitsTest, AFloodIsAnsweredAndCostsLittle) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  RawConnection connection(server->port());
  ASSERT_TRUE(connection.Send(GetParam().begin));
  EXPECT_LT(connection.Flood(GetParam().endless, kFlood), 12 * kMebibyte);
  EXPECT_THAT(connection.ReadAll(), StartsWith(GetParam().status));
  EXPECT_EQ(handler.count(), 0);
}

// While an answer is awaited, requests that a client sends ahead wait in its socket.
TEST(Http1LimitsTest, RequestsAheadAreBounded) {
  TestHandler handler;
  const auto server = *Server::Start({}, handler);
  RawConnection connection(server->port());
  ASSERT_TRUE(connection.Send("GET /hold HTTP/1.1\r\nhost: x\r\n\r\n"));
  const auto writer = handler.TakeHeld();
  ASSERT_TRUE(writer);
  EXPECT_LT(connection.Flood("GET /echo HTTP/1.1\r\nhost: x\r\n\r\n", kFlood), 2 * kMebibyte);
  EXPECT_EQ(handler.count(), 1);
}

// Bodies that never end, on many connections: the oldest make room, so that there is always some
// for a client that means it.
TEST(Http1LimitsTest, AllRequestsTogetherAreBounded) {
  TestHandler handler;
  const auto server = *Server::Start({.max_receiving_bytes = 8 * kMebibyte}, handler);
  const std::string body(kMebibyte, 'b');
  const std::string head = "POST /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n";
  const size_t before = HeapBytes();
  std::vector<std::unique_ptr<RawConnection>> greedy;
  for (int i = 0; i < 64; ++i) {
    greedy.push_back(std::make_unique<RawConnection>(server->port()));
    greedy.back()->Send(head + "content-length: 3000000\r\n\r\n");
    greedy.back()->Send(body);
  }
  EXPECT_LT(HeapBytes() - before, 24 * kMebibyte);
  RawConnection honest(server->port());
  ASSERT_TRUE(honest.Send(fmt::format("{}content-length: {}\r\n\r\n", head, body.size())));
  ASSERT_TRUE(honest.Send(body));
  const std::string answer = honest.ReadAll();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(handler.count(), 1);
}

// Of clients that are known nobody is cut: there is no room, and they are told.
TEST(Http1LimitsTest, SaysWhenThereIsNoRoomForARequest) {
  TestHandler handler;
  const auto server = *Server::Start({.max_receiving_bytes = kMebibyte}, handler);
  RawConnection connection(server->port());
  ASSERT_TRUE(connection.Send("GET /login HTTP/1.1\r\nhost: x\r\n\r\n"));
  ASSERT_THAT(connection.ReadUntil("v1 "), StartsWith("HTTP/1.1 200"));
  ASSERT_TRUE(connection.Send("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 3000000\r\n\r\n"));
  connection.Flood(std::string(1000, 'x'), 3'000'000);
  const std::string answer = connection.ReadAll();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 429 "));
  EXPECT_THAT(answer, HasSubstr("retry-after: 1"));
}

TEST(Http1LimitsTest, SlowHeadersTimeOut) {
  TestHandler handler;
  const auto server = *Server::Start({.header_timeout = std::chrono::milliseconds(50)}, handler);
  RawConnection connection(server->port());
  ASSERT_TRUE(connection.Send("GET / HTTP/1.1\r\nhost"));
  EXPECT_THAT(connection.ReadAll(), StartsWith("HTTP/1.1 408 "));
}

}  // namespace
}  // namespace coppice::http
