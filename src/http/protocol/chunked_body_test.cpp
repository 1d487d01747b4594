#include "http/protocol/chunked_body.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/server/limits.h"

namespace coppice::http {
namespace {

using State = ChunkedBody::State;

struct Decoded {
  State state;
  std::string body, rest;
};

// Fed in pieces of `piece` bytes.
Decoded Decode(std::string_view wire, size_t piece, size_t max_body = 1 << 20) {
  ChunkedBody chunks(max_body);
  Decoded decoded{State::kMore, "", ""};
  while (decoded.state == State::kMore && !wire.empty()) {
    std::string_view part = wire.substr(0, piece);
    wire.remove_prefix(part.size());
    decoded.state = chunks.Feed(part, decoded.body);
    decoded.rest = part;
  }
  decoded.rest += wire;
  return decoded;
}

TEST(ChunkedBodyTest, ReadsDataAndSkipsTheRest) {
  const std::string wire =
      "5\r\nhello\r\n6;name=\"v\";x \t\r\n world\r\n0;last\r\nauthorization: Bearer "
      "x\r\nb:\r\n\r\nGET";
  for (size_t piece = 1; piece <= wire.size(); ++piece) {
    const Decoded decoded = Decode(wire, piece);
    EXPECT_EQ(decoded.state, State::kDone) << piece;
    EXPECT_EQ(decoded.body, "hello world");
    EXPECT_EQ(decoded.rest, "GET");
  }
}

TEST(ChunkedBodyTest, RefusesWhatIsNoChunk) {
  for (const char* wire : {"x\r\n", "\r\n", ";ext\r\n", "-1\r\n", "+1\r\n", "0x1\r\n", "1 ;a\r\n",
                           "1\n", "1\r;a\r\n", "11111111111111111\r\n", "1\r\nab\r\n", "1\r\na\n",
                           "0\r\nno colon\r\n", "0\r\n: v\r\n", "0\r\na: b\n\r\n"}) {
    for (const size_t piece : {1, 100}) {
      EXPECT_EQ(Decode(wire, piece).state, State::kMalformed) << wire;
    }
  }
}

TEST(ChunkedBodyTest, BoundsTheBody) {
  EXPECT_EQ(Decode("4\r\nabcd\r\n0\r\n\r\n", 3, 4).state, State::kDone);
  EXPECT_EQ(Decode("5\r\n", 3, 4).state, State::kTooLarge);
  EXPECT_EQ(Decode("4\r\nabcd\r\n1\r\n", 3, 4).state, State::kTooLarge);
  EXPECT_EQ(Decode("ffffffffffffffff\r\n", 3, 4).state, State::kTooLarge);
}

TEST(ChunkedBodyTest, BoundsALine) {
  const std::string fits = "1;" + std::string(kMaxChunkLineBytes - 4, 'x') + "\r\n";
  EXPECT_EQ(Decode(fits, 1000).state, State::kMore);
  EXPECT_EQ(Decode("1" + fits, 1000).state, State::kMalformed);
}

TEST(ChunkedBodyTest, BoundsTrailers) {
  const std::string fits = "0\r\na:" + std::string(kMaxTrailerBytes - 6, 'x') + "\r\n\r\n";
  EXPECT_EQ(Decode(fits, 1000).state, State::kDone);
  std::string many = "0\r\n";
  while (many.size() + 3 <= kMaxTrailerBytes) many += "a: b\r\n";
  EXPECT_EQ(Decode(many, 1000).state, State::kMore);
  EXPECT_EQ(Decode(many + "a: b\r\n\r\n", 1000).state, State::kMalformed);
}

// A byte at a time is honest; a kilobyte of extension for each byte is not.
TEST(ChunkedBodyTest, BoundsWhatIsNoData) {
  std::string honest, hostile;
  for (int i = 0; i < 10'000; ++i) honest += "1;a=b\r\nx\r\n";
  EXPECT_EQ(Decode(honest, 1000).body.size(), 10'000u);
  size_t taken = 0;
  const std::string chunk = "1;" + std::string(1000, 'e') + "\r\nx\r\n";
  while (taken < 100 && Decode(hostile, 1000).state == State::kMore) {
    hostile += chunk;
    ++taken;
  }
  EXPECT_EQ(taken, kMaxChunkOverhead / (1002 + 2 - 18) + 1);
}

}  // namespace
}  // namespace coppice::http
