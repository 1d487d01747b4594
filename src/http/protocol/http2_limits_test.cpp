#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/protocol/http2_frames_testing.h"
#include "http/server/limits.h"
#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using testing::BigEndian;
using testing::Frame;
using ::testing::HasSubstr;
using testing::HeapBytes;
using testing::Literal;
using ::testing::Not;
using testing::RawConnection;
using testing::TestHandler;
using enum testing::FrameType;
using enum testing::FrameFlag;

constexpr size_t kFloodBytes = 32 << 20;
constexpr size_t kMiB = 1 << 20;
std::string PostTo(std::string_view path) {
  return Literal(":method", "POST") + Literal(":scheme", "http") + Literal(":path", path) +
         Literal(":authority", "x");
}

std::string GetOf(std::string_view path) {
  return Literal(":method", "GET") + Literal(":scheme", "http") + Literal(":path", path) +
         Literal(":authority", "x");
}

class Http2LimitsTest : public ::testing::Test {
 protected:
  void Open(ServerOptions options = {}) {
    server_ = *Server::Start(options, handler_);
    connection_ = std::make_unique<RawConnection>(server_->port());
    const std::string acknowledged = Frame(kSettings, kAck, 0);
    ASSERT_TRUE(connection_->Send(std::string(testing::kHttp2Preface) + Frame(kSettings, 0, 0) +
                                  acknowledged));
    // What a test reads afterwards is about the test.
    connection_->ReadUntil(acknowledged);
  }
  TestHandler handler_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<RawConnection> connection_;
};

TEST_F(Http2LimitsTest, TrailersAreNoHeaders) {
  Open();
  ASSERT_TRUE(connection_->Send(
      Frame(kHeaders, kEndHeaders, 1, PostTo("/headers") + Literal("te", "trailers")) +
      Frame(kData, 0, 1, "abc") +
      Frame(kHeaders, kEndHeaders | kEndStream, 1,
            Literal("authorization", "Bearer x") + Literal("impersonate-user", "admin"))));
  const std::string answer = connection_->ReadUntil("te: trailers\n");
  EXPECT_THAT(answer, HasSubstr("te: trailers\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Bearer")));
  EXPECT_THAT(answer, Not(HasSubstr("impersonate")));
}

TEST_F(Http2LimitsTest, AHeaderWithoutEndIsCut) {
  Open();
  const std::string field = Literal("name", std::string(120, 'v'));
  std::string block;
  while (block.size() + field.size() < 16'000) block += field;
  ASSERT_TRUE(connection_->Send(Frame(kHeaders, 0, 1, PostTo("/echo"))));
  EXPECT_LT(connection_->Flood(Frame(kContinuation, 0, 1, block), kFloodBytes), 2 * kMiB);
  EXPECT_THAT(connection_->ReadAll(), Not(HasSubstr("timeout")));
  EXPECT_EQ(handler_.count(), 0);
}

// A few bytes on the wire that stand for many: the same large field of the table, again and again.
TEST_F(Http2LimitsTest, ACompressedHeaderCountsAsWhatItIs) {
  Open();
  const std::string indexed = "\x40" + Literal("name", std::string(120, 'v')).substr(1);
  const std::string bomb = indexed + std::string(15'000, '\xbe');  // 15,000 times the newest entry.
  const size_t before = HeapBytes();
  ASSERT_TRUE(
      connection_->Send(Frame(kHeaders, kEndHeaders | kEndStream, 1, PostTo("/echo") + bomb)));
  EXPECT_THAT(connection_->ReadUntil("\"code\":431"), HasSubstr("\"code\":431"));
  EXPECT_LT(HeapBytes() - before, kMiB);
  EXPECT_EQ(handler_.count(), 0);
}

TEST_F(Http2LimitsTest, PingsThatNobodyReadTheAnswersOfEndTheConnection) {
  Open();
  EXPECT_LT(connection_->Flood(Frame(kPing, 0, 0, "12345678"), kFloodBytes), 4 * kMiB);
}

TEST_F(Http2LimitsTest, SettingsThatNobodyReadTheAnswersOfEndTheConnection) {
  Open();
  EXPECT_LT(connection_->Flood(Frame(kSettings, 0, 0), kFloodBytes), 4 * kMiB);
}

TEST_F(Http2LimitsTest, StreamsBeyondTheLimitCostLittle) {
  Open({.max_concurrent_streams = 100});
  std::string opened;
  for (uint32_t id = 1; id < 200'000; id += 2) {
    opened += Frame(kHeaders, kEndHeaders, id, PostTo("/echo"));
  }
  EXPECT_LT(connection_->Flood(opened, opened.size()), 4 * kMiB);
  EXPECT_EQ(handler_.count(), 0);
}

TEST_F(Http2LimitsTest, StreamsThatAreOpenedAndResetCostLittle) {
  Open();
  std::string opened;
  for (uint32_t id = 1; id < 200'000; id += 2) {
    opened +=
        Frame(kHeaders, kEndHeaders, id, PostTo("/echo")) + Frame(kReset, 0, id, BigEndian(8, 4));
  }
  EXPECT_LT(connection_->Flood(opened, opened.size()), 4 * kMiB);
  EXPECT_EQ(handler_.count(), 0);
}

// Many requests at a time, none of them complete.
TEST_F(Http2LimitsTest, BodiesOfOneStrangerAreBoundedTogether) {
  Open();
  const size_t before = HeapBytes();
  const std::string data(16'000, 'd');
  for (uint32_t id = 1; id < 41; id += 2) {
    std::string request = Frame(kHeaders, kEndHeaders, id, PostTo("/echo"));
    for (int i = 0; i < 60; ++i) request += Frame(kData, 0, id, data);
    ASSERT_TRUE(connection_->Send(request));
  }
  EXPECT_THAT(connection_->ReadUntil("\"code\":429"), HasSubstr("\"code\":429"));
  // The bodies' strings grow by doubling.
  EXPECT_LT(HeapBytes() - before, 2 * kMaxReceivingBytesUnauthenticated + 4 * kMiB);
  EXPECT_EQ(handler_.count(), 0);
}

TEST_F(Http2LimitsTest, ResponsesThatAClientDoesNotReadAreBounded) {
  Open({.worker_threads = 1});
  constexpr size_t kSize = 4'000'000;
  const size_t before = HeapBytes();
  std::string requests = Frame(kWindowUpdate, 0, 0, BigEndian(1 << 30, 4));
  for (uint32_t id = 1; id < 200; id += 2) {
    requests +=
        Frame(kHeaders, kEndHeaders | kEndStream, id, GetOf(fmt::format("/big?size={}", kSize)));
  }
  ASSERT_TRUE(connection_->Send(requests));
  EXPECT_THAT(connection_->ReadUntil("\"code\":429"), HasSubstr("\"code\":429"));
  EXPECT_LT(HeapBytes() - before, kMaxUnsentBytesPerConnection + 2 * kSize + 4 * kMiB);
  EXPECT_LT(handler_.count(), 100);
  // Another client gets its answer.
  RawConnection other(server_->port());
  ASSERT_TRUE(other.Send("GET /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
  EXPECT_THAT(other.ReadAll(), HasSubstr("GET /echo v1"));
}

TEST_F(Http2LimitsTest, PingsDoNotKeepAStrangerConnected) {
  Open({.unauthenticated_idle_timeout = std::chrono::milliseconds(50)});
  const std::string ping = Frame(kPing, 0, 0, "12345678");
  bool answered = true;
  for (int i = 0; i < 1'000'000 && answered; ++i) {
    answered = connection_->Send(ping) &&
               connection_->ReadUntil("12345678").find("12345678") != std::string::npos;
  }
  EXPECT_FALSE(answered);
}

}  // namespace
}  // namespace coppice::http
