#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/protocol/http2_frames_testing.h"
#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::Latch;
using ::testing::Not;
using testing::RawConnection;
using ::testing::StartsWith;
using testing::TestHandler;

// What only raw bytes can do.
class RawServerTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options = {}) { server_ = *Server::Start(options, handler_); }
  TestHandler handler_;
  std::unique_ptr<Server> server_;
};

TEST_F(RawServerTest, AnswersMalformedRequestsWith400) {
  Start();
  for (const char* bytes :
       {"garbage\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET /\x01 HTTP/1.1\r\nhost: x\r\n\r\n"}) {
    RawConnection connection(server_->port());
    ASSERT_TRUE(connection.Send(bytes));
    const std::string answer = connection.ReadAll();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 ")) << bytes;
    EXPECT_THAT(answer, HasSubstr("\"kind\":\"Status\""));
  }
  EXPECT_EQ(handler_.count(), 0);
}

TEST_F(RawServerTest, HandlesPipelinedRequestsInOrder) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(
      connection.Send("GET /a HTTP/1.1\r\nhost: x\r\n\r\nGET /b HTTP/1.1\r\nhost: x\r\n"
                      "connection: close\r\n\r\n"));
  const std::string answer = connection.ReadAll();
  EXPECT_LT(answer.find("GET /a"), answer.find("GET /b"));
  EXPECT_THAT(answer, Not(HasSubstr("timeout")));
}

TEST_F(RawServerTest, SaysContinueToClientsThatAsk) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(
      connection.Send("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n"
                      "expect: 100-continue\r\nconnection: close\r\n\r\n"));
  EXPECT_THAT(connection.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 100 Continue"));
  ASSERT_TRUE(connection.Send("hello"));
  EXPECT_THAT(connection.ReadAll(), HasSubstr("hello"));
}

TEST_F(RawServerTest, TimesOutSlowRequests) {
  Start({.request_timeout = milliseconds(50)});
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf"));
  EXPECT_THAT(connection.ReadAll(), StartsWith("HTTP/1.1 408 "));
}

TEST_F(RawServerTest, ClosesSilentAndIdleConnections) {
  Start({.handshake_timeout = milliseconds(50), .idle_timeout = milliseconds(50)});
  RawConnection silent(server_->port());
  EXPECT_EQ(silent.ReadAll(), "");
  RawConnection idle(server_->port());
  ASSERT_TRUE(idle.Send("GET /echo HTTP/1.1\r\nhost: x\r\n\r\n"));
  const std::string answer = idle.ReadAll();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, Not(HasSubstr("timeout")));
}

TEST_F(RawServerTest, CutsClientsThatTakeNothing) {
  Start({.write_timeout = milliseconds(100)});
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("GET /hold HTTP/1.1\r\nhost: x\r\n\r\n"));
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  Latch closed;
  writer->Start(200, {});
  writer->OnClosed([&] { closed.Set(); });
  writer->Write(std::string(32 << 20, 'x'));  // More than any socket buffer; never read.
  EXPECT_TRUE(closed.Wait());
}

TEST_F(RawServerTest, NoticesAHalfClosedWatcher) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send("GET /hold HTTP/1.1\r\nhost: x\r\n\r\n"));
  const auto writer = handler_.TakeHeld();
  ASSERT_TRUE(writer);
  Latch closed;
  writer->Start(200, {});
  writer->OnClosed([&] { closed.Set(); });
  connection.Shutdown();
  EXPECT_TRUE(closed.Wait());
}

TEST_F(RawServerTest, SpeaksHttp2WithPriorKnowledge) {
  Start();
  RawConnection connection(server_->port());
  ASSERT_TRUE(connection.Send(testing::kHttp2Preface));
  ASSERT_TRUE(connection.Send(testing::Frame(testing::kSettings, 0, 0)));
  const std::string acknowledged = testing::Frame(testing::kSettings, testing::kAck, 0);
  EXPECT_THAT(connection.ReadUntil(acknowledged), HasSubstr(acknowledged));
}

TEST_F(RawServerTest, SurvivesBrokenHttp2) {
  Start();
  for (const std::string& frame :
       {std::string("\xff\xff\xff\x01\x05\0\0\0\x01", 9), std::string("\0\0\0\0\0\0\0\0\0", 9),
        std::string("\0\0\x04\x08\0\0\0\0\0\0\0\0\0", 13), std::string(5000, '\xaa')}) {
    RawConnection connection(server_->port());
    connection.Send(std::string(testing::kHttp2Preface) + testing::Frame(testing::kSettings, 0, 0));
    connection.Send(frame);
    EXPECT_THAT(connection.ReadAll(), Not(HasSubstr("timeout")));
  }
  RawConnection after(server_->port());
  after.Send("GET /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  EXPECT_THAT(after.ReadAll(), StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace coppice::http
