#include "http/server/unsent_bytes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "http/server/server_testing.h"

namespace coppice::http {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::HeapBytes;
using testing::RawConnection;
using testing::TestHandler;

constexpr size_t kMebi = 1 << 20;
constexpr size_t kLimit = 48 * kMebi;

// Clients that ask and do not read.
class UnreadTest : public ::testing::Test {
 protected:
  void Open(size_t count, const std::string& path, const std::string& headers = "") {
    server_ = *Server::Start({.max_unsent_bytes = kLimit}, handler_);
    before_ = HeapBytes();
    for (size_t i = 0; i < count; ++i) {
      clients_.push_back(std::make_unique<RawConnection>(server_->port()));
      ASSERT_TRUE(clients_.back()->Send(
          fmt::format("GET {} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{}\r\n", path, headers)));
      // The bytes that come first show that the whole has been written.
      ASSERT_THAT(clients_.back()->ReadUntil("HTTP/1.1 200"), HasSubstr("HTTP/1.1 200"));
      peak_ = std::max(peak_, HeapBytes() - before_);
    }
  }
  bool WaitForConnections(size_t most) {
    for (int i = 0; i < 2000 && server_->connections() > most; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
    }
    return server_->connections() <= most;
  }

  TestHandler handler_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<RawConnection>> clients_;
  size_t before_ = 0, peak_ = 0;
};

TEST_F(UnreadTest, BeyondTheLimitTheHeaviestConnectionIsClosed) {
  constexpr size_t kSize = 12'000'000;
  Open(12, fmt::format("/big?size={}", kSize));
  EXPECT_LT(peak_, kLimit + 3 * kSize);
  EXPECT_TRUE(WaitForConnections(4));
  EXPECT_LT(HeapBytes() - before_, kLimit + 8 * kMebi);
  RawConnection other(server_->port());
  ASSERT_TRUE(other.Send("GET /echo HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"));
  EXPECT_THAT(other.ReadAll(), HasSubstr("GET /echo v1"));
}

TEST_F(UnreadTest, WhatOthersHoldTooIsNotHeldByThem) {
  constexpr size_t kSize = 12'000'000;
  Open(12, fmt::format("/shared?size={}", kSize));
  EXPECT_LT(peak_, kSize + 12 * 2 * kMebi) << "a whole one each takes 144 MB";
  EXPECT_EQ(server_->connections(), 12u);
  for (const auto& client : clients_) {
    const std::string body = client->ReadAll();
    EXPECT_GT(body.size(), kSize / 2) << "the rest was read at first";
    EXPECT_THAT(body, ::testing::Not(EndsWith("timeout")));
  }
}

TEST_F(UnreadTest, CompressedResponsesAreMadeAsTheyAreRead) {
  constexpr size_t kSize = 12'000'000;
  Open(12, fmt::format("/shared?size={}", kSize), "accept-encoding: gzip\r\n");
  EXPECT_LT(peak_, kSize + 12 * 3 * kMebi) << "a whole one each takes 144 MB";
  EXPECT_EQ(server_->connections(), 12u);
}

TEST(SendBudgetTest, LooksAgainWhenTheMemoryMayBeFullOrASecondHasPassed) {
  SendBudget budget(100);
  const std::chrono::steady_clock::time_point start{seconds(1000)};
  budget.Add(100);
  EXPECT_FALSE(budget.NeedsLook(start));
  budget.Add(50);
  EXPECT_TRUE(budget.NeedsLook(start));
  budget.Looked(150, 20, start);
  EXPECT_FALSE(budget.NeedsLook(start));
  budget.Add(80);
  EXPECT_FALSE(budget.NeedsLook(start)) << "80 and the 20 fit";
  EXPECT_TRUE(budget.NeedsLook(start + milliseconds(1001)));
  budget.Add(1);
  EXPECT_TRUE(budget.NeedsLook(start));
  budget.Subtract(131);
  EXPECT_FALSE(budget.NeedsLook(start + seconds(2)));
}

}  // namespace
}  // namespace coppice::http
