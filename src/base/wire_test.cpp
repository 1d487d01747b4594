#include <gtest/gtest.h>

#include <bit>

#include "base/wire_reader.h"
#include "base/wire_writer.h"

namespace coppice::base {
namespace {

TEST(WireTest, WhatIsWrittenComesBack) {
  WireWriter writer;
  EXPECT_TRUE(writer.empty());
  writer.AddVarint(1, UINT64_MAX);
  writer.AddBytes(2, "text");
  writer.AddDouble(300, 2.5);
  const std::string message = writer.Take();
  WireReader reader(message);
  const WireField number = *reader.Next();
  EXPECT_EQ(number.number, 1u);
  EXPECT_EQ(number.integer, UINT64_MAX);
  EXPECT_FALSE(number.is_bytes);
  const WireField text = *reader.Next();
  EXPECT_EQ(text.bytes, "text");
  EXPECT_TRUE(text.is_bytes);
  const WireField fraction = *reader.Next();
  EXPECT_EQ(fraction.number, 300u);
  EXPECT_EQ(std::bit_cast<double>(fraction.integer), 2.5);
  EXPECT_TRUE(reader.done());
}

TEST(WireTest, ReadsPackedNumbers) {
  WireReader reader(std::string_view("\x05\xac\x02", 3));
  EXPECT_EQ(*reader.Varint(), 5u);
  EXPECT_EQ(*reader.Varint(), 300u);
  EXPECT_TRUE(reader.done());
}

TEST(WireTest, RejectsMalformedMessages) {
  using namespace std::string_view_literals;
  for (const std::string_view message : {
           "\x08"sv,                                              // No number after its tag.
           "\x08\x80"sv,                                          // A number that ends too early.
           "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,  // One of more than 64 bits.
           "\x0a\x05text"sv,                                      // Fewer bytes than announced.
           "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv,      // Far fewer.
           "\x09\x01\x02\x03"sv,                                  // Half a fixed number.
           "\x0b\x0c"sv,                                          // A group.
           "\x0f"sv,                                              // A wire type that is none.
       }) {
    EXPECT_FALSE(WireReader(message).Next()) << testing::PrintToString(message);
  }
}

}  // namespace
}  // namespace coppice::base
