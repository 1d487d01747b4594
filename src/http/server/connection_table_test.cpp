#include "http/server/connection_table.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using testing::HeapBytes;
using ::testing::Not;
using testing::RawConnection;
using ::testing::StartsWith;
using testing::TestHandler;

using Raw = std::unique_ptr<RawConnection>;

class ConnectionTableTest : public ::testing::Test {
 protected:
  void Start(ServerOptions options) { server_ = *Server::Start(options, handler_); }
  Raw Connect(const char* from = "127.0.0.1") {
    return std::make_unique<RawConnection>(server_->port(), from);
  }
  // True when the server answers. The answer is read to its end.
  static bool Ask(RawConnection& connection, std::string_view path) {
    return connection.Send(fmt::format("GET {} HTTP/1.1\r\nhost: x\r\n\r\n", path)) &&
           connection.ReadUntil("v1 ").starts_with("HTTP/1.1 200");
  }
  // Keeps a request with the handler.
  std::shared_ptr<ResponseWriter> Hold(RawConnection& connection, std::string_view query = "") {
    connection.Send(fmt::format("GET /hold{} HTTP/1.1\r\nhost: x\r\n\r\n", query));
    return handler_.TakeHeld();
  }
  std::vector<Raw> ConnectMany(int count, const char* from = "127.0.0.1") {
    std::vector<Raw> many;
    for (int i = 0; i < count; ++i) many.push_back(Connect(from));
    return many;
  }

  TestHandler handler_;
  std::unique_ptr<Server> server_;
};

// More idle connections than there are places, from the address that everybody else has too.
TEST_F(ConnectionTableTest, StrangersLockNobodyOut) {
  Start({.max_connections = 64});
  const Raw known = Connect();
  ASSERT_TRUE(Ask(*known, "/login"));
  const size_t before = HeapBytes();
  std::vector<Raw> idle = ConnectMany(300);
  const Raw late = Connect();
  EXPECT_TRUE(Ask(*late, "/echo")) << "a newcomer finds a place";
  EXPECT_TRUE(Ask(*known, "/echo")) << "who is known keeps his";
  EXPECT_EQ(idle.front()->ReadAll(), "") << "the oldest unauthenticated client went";
  EXPECT_TRUE(Ask(*idle.back(), "/echo")) << "the newest stayed";
  EXPECT_LT(HeapBytes() - before, 8u << 20);
}

// Half of the places are for clients that are known.
TEST_F(ConnectionTableTest, StrangersHaveHalfOfThePlaces) {
  Start({.max_connections = 8});
  std::vector<Raw> strangers = ConnectMany(4);
  for (const Raw& each : strangers) ASSERT_TRUE(Ask(*each, "/echo"));
  const Raw fifth = Connect();
  EXPECT_TRUE(Ask(*fifth, "/echo"));
  EXPECT_EQ(strangers[0]->ReadAll(), "");
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(Ask(*strangers[i], "/echo"));
}

TEST_F(ConnectionTableTest, WhatAHandlerWorksOnIsNotCut) {
  Start({.max_connections = 4});
  std::vector<Raw> busy;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  for (int i = 0; i < 3; ++i) {
    busy.push_back(Connect());
    writers.push_back(Hold(*busy.back()));
    ASSERT_TRUE(writers.back());
  }
  for (int i = 0; i < 10; ++i) {
    const Raw passing = Connect();
    passing->ReadAll();
  }
  for (size_t i = 0; i < busy.size(); ++i) {
    writers[i]->Send(Response::Make(200, "text/plain", "kept"));
    EXPECT_THAT(busy[i]->ReadUntil("kept"), HasSubstr("kept"));
  }
}

TEST_F(ConnectionTableTest, OneAddressNeverHoldsAllPlaces) {
  Start({.max_connections = 8});
  std::vector<Raw> watches;
  std::vector<std::shared_ptr<ResponseWriter>> writers;
  for (int i = 0; i < 6; ++i) {
    watches.push_back(Connect());
    writers.push_back(Hold(*watches.back(), "?login"));
    ASSERT_TRUE(writers.back());
  }
  const Raw seventh = Connect();
  EXPECT_EQ(seventh->ReadAll(), "") << "all that this address may have are at work";
  const Raw other = Connect("127.0.0.2");
  EXPECT_TRUE(Ask(*other, "/echo"));
}

TEST_F(ConnectionTableTest, TheAddressWithMostStrangersLosesFirst) {
  Start({.max_connections = 16});
  const Raw alone = Connect("127.0.0.2");
  ASSERT_TRUE(Ask(*alone, "/echo"));
  const std::vector<Raw> many = ConnectMany(100);
  ASSERT_TRUE(Ask(*many.back(), "/echo"));
  EXPECT_TRUE(Ask(*alone, "/echo")) << "although it is the oldest";
}

TEST_F(ConnectionTableTest, IdleClientsGoWhenAllAreKnown) {
  Start({.max_connections = 4});
  std::vector<Raw> known;
  for (const char* from : {"127.0.0.1", "127.0.0.1", "127.0.0.2", "127.0.0.2"}) {
    known.push_back(Connect(from));
    ASSERT_TRUE(Ask(*known.back(), "/login"));
  }
  const Raw late = Connect("127.0.0.3");
  EXPECT_TRUE(Ask(*late, "/login"));
  EXPECT_EQ(known[0]->ReadAll(), "");
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(Ask(*known[i], "/echo"));
}

TEST_F(ConnectionTableTest, StrangersMayNotStayIdle) {
  Start({.unauthenticated_idle_timeout = milliseconds(50)});
  const Raw known = Connect(), stranger = Connect();
  ASSERT_TRUE(Ask(*known, "/login"));
  ASSERT_TRUE(Ask(*stranger, "/echo"));
  EXPECT_THAT(stranger->ReadAll(), Not(HasSubstr("timeout")));
  EXPECT_TRUE(Ask(*known, "/echo"));
}

TEST_F(ConnectionTableTest, ACertificateIsEnoughToStay) {
  Start({.tls = testing::TestServerTls(),
         .handshake_timeout = milliseconds(1000),
         .unauthenticated_idle_timeout = milliseconds(1000)});
  ClientOptions options{.tls = testing::TestClientTls(true), .proxy_url = "none"};
  const auto known = *ClientTransport::Make(options);
  ASSERT_TRUE(known->Send({.url = server_->Url() + "/echo"}).response);
  const Raw silent = Connect();  // Gone after as long as the other has been idle.
  EXPECT_EQ(silent->ReadAll(), "");
  for (int i = 0; i < 20'000 && server_->connections() > 1; ++i) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_EQ(server_->connections(), 1u);
}

TEST(AddressKeyTest, IsAnAddressOrItsNetwork) {
  EXPECT_EQ(AddressKey("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(AddressKey("::ffff:10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(AddressKey("::1"), "::");
  EXPECT_EQ(AddressKey("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
  EXPECT_EQ(AddressKey("2001:db8:1:2:ffff::1"), "2001:db8:1:2::");
}

}  // namespace
}  // namespace coppice::http
