#include "http/client/grpc_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/client/unix_server_testing.h"
#include "http/protocol/http2_frames_testing.h"

namespace coppice::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::BigEndian;
using testing::Frame;
using ::testing::HasSubstr;
using testing::Literal;
using testing::UnixServer;
using enum testing::FrameType;
using enum testing::FrameFlag;

// The server's own, and that it has seen ours.
std::string Settings() { return Frame(kSettings, 0, 0) + Frame(kSettings, kAck, 0); }

std::string ResponseHeaders(std::string_view status = "200") {
  return Frame(kHeaders, kEndHeaders, 1,
               Literal(":status", status) + Literal("content-type", "application/grpc"));
}

std::string Message(std::string_view text) {
  return std::string(1, '\0') + BigEndian(static_cast<uint32_t>(text.size()), 4) +
         std::string(text);
}

std::string Trailers(std::string_view status, std::string_view text = "") {
  return Frame(kHeaders, kEndHeaders | kEndStream, 1,
               Literal("grpc-status", status) + Literal("grpc-message", text));
}

base::Result<std::string> AnswerTo(const std::string& bytes, bool closes = false,
                                   base::Duration timeout = seconds(20)) {
  const UnixServer server(bytes, closes);
  return CallGrpc(server.path(), "/v1.PodResourcesLister/List", "question", timeout);
}

std::string ErrorOf(const base::Result<std::string>& answer) {
  return answer ? "answered " + *answer : answer.error().message();
}

TEST(GrpcCallTest, ReturnsTheMessage) {
  const auto answer = AnswerTo(Settings() + ResponseHeaders() +
                               Frame(kData, 0, 1, Message("pods")) + Trailers("0"));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(*answer, "pods");
}

TEST(GrpcCallTest, PutsPiecesTogether) {
  const std::string message = Message("pods");
  const auto answer =
      AnswerTo(Settings() + Frame(kPing, 0, 0, "12345678") + ResponseHeaders() +
               Frame(kData, 0, 1, message.substr(0, 3)) +
               Frame(kData, kPadded, 1, "\x02" + message.substr(3) + "\x01\x01") +
               Frame(kGoAway, 0, 0, BigEndian(1, 4) + BigEndian(0, 4)) + Trailers("0"));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(*answer, "pods");
}

std::string InFrames(std::string_view body) {
  std::string bytes;
  for (size_t at = 0; at < body.size(); at += 16384) {
    bytes += Frame(kData, 0, 1, body.substr(at, 16384));
  }
  return bytes;
}

TEST(GrpcCallTest, ReadsLargeAnswersAndRefusesTooLargeOnes) {
  const std::string head = Settings() + ResponseHeaders();
  const std::string large(1 << 20, 'x');  // Many times HTTP/2's first window.
  const auto answer = AnswerTo(head + InFrames(Message(large)) + Trailers("0"));
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_TRUE(*answer == large);
  const std::string larger(17 << 20, 'x');
  EXPECT_TRUE(
      AnswerTo(head + InFrames(Message(larger)) + Trailers("0")).Is(base::ErrorCode::kTooLarge));
}

TEST(GrpcCallTest, TellsWhyACallFailed) {
  EXPECT_EQ(ErrorOf(AnswerTo(Settings() + ResponseHeaders() + Trailers("8", "too many calls"))),
            "gRPC status 8: too many calls");
  EXPECT_EQ(ErrorOf(AnswerTo(Settings() + ResponseHeaders("503") + Trailers("0"))),
            "HTTP status 503");
  EXPECT_THAT(
      ErrorOf(AnswerTo(Settings() + ResponseHeaders() + Frame(kReset, 0, 1, BigEndian(7, 4)))),
      HasSubstr("REFUSED_STREAM"));
  EXPECT_THAT(ErrorOf(AnswerTo(Settings() + Frame(kGoAway, 0, 0, BigEndian(0, 8)))),
              HasSubstr("REFUSED_STREAM"));
}

TEST(GrpcCallTest, RejectsWhatIsNoAnswer) {
  const std::string head = Settings() + ResponseHeaders();
  const std::string message = Message("pods");
  for (const std::string& bytes : {
           head + Trailers("0"),  // No message at all.
           head + Frame(kData, 0, 1, message.substr(0, 6)) + Trailers("0"),
           head + Frame(kData, 0, 1, message + message) + Trailers("0"),
           head + Frame(kData, 0, 1, "\x01" + message.substr(1)) + Trailers("0"),  // Compressed.
           head + Frame(kData, kEndStream, 1, message),                            // No status.
           Settings() + Frame(kData, kEndStream, 1, message),                      // No headers.
           std::string("HTTP/1.1 400 Bad Request\r\n\r\n"),
           std::string(1000, '\xaa'),
       }) {
    const auto answer = AnswerTo(bytes);
    EXPECT_TRUE(answer.Is(base::ErrorCode::kUnavailable)) << ErrorOf(answer);
  }
}

TEST(GrpcCallTest, AServerThatIsSilentOrGone) {
  EXPECT_TRUE(AnswerTo(Settings(), false, milliseconds(50)).Is(base::ErrorCode::kTimeout));
  EXPECT_TRUE(AnswerTo(Settings(), true).Is(base::ErrorCode::kUnavailable));
  EXPECT_TRUE(
      CallGrpc("/nonexistent.sock", "/a/b", "", seconds(1)).Is(base::ErrorCode::kUnavailable));
  EXPECT_TRUE(CallGrpc(std::string(200, 'p'), "/a/b", "", seconds(1))
                  .Is(base::ErrorCode::kInvalidArgument));
}

}  // namespace
}  // namespace coppice::http
