#include "http/message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::http {
namespace {

using ::testing::ElementsAre;

TEST(HeadersTest, NamesIgnoreCase) {
  Headers headers{{"Content-Type", "a"}, {"ACCEPT", "x"}, {"accept", "y"}};
  EXPECT_EQ(headers.Get("content-TYPE"), "a");
  EXPECT_EQ(headers.Joined("Accept"), "x, y");
  headers.Set("Accept", "z");
  EXPECT_EQ(headers.Joined("accept"), "z");
  EXPECT_EQ(headers.Get("missing"), "");
  EXPECT_FALSE(headers.Has("missing"));
}

TEST(QueryTest, ParsesAndEncodes) {
  const Query query = Query::Parse("labelSelector=a%3Db,c&watch&x=1+2&x=%zz&");
  EXPECT_EQ(query.Get("labelSelector"), "a=b,c");
  EXPECT_TRUE(query.Has("watch"));
  EXPECT_THAT(query.All("x"), ElementsAre("1 2", "%zz"));
  Query out;
  out.Add("fieldSelector", "metadata.name=a b&c");
  EXPECT_EQ(out.Encode(), "fieldSelector=metadata.name%3Da%20b%26c");
  EXPECT_EQ(Query::Parse(out.Encode()).Get("fieldSelector"), "metadata.name=a b&c");
}

TEST(UrlTest, DecodesStrictly) {
  EXPECT_EQ(*DecodeUrl("/a%20b%41"), "/a bA");
  EXPECT_EQ(*DecodeUrl("a+b"), "a+b");
  for (const char* text : {"%", "%4", "%4g", "a%"}) EXPECT_FALSE(DecodeUrl(text)) << text;
}

TEST(Utf8Test, TellsValidFromBroken) {
  for (const char* text : {"", "abc", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"}) {
    EXPECT_TRUE(IsValidUtf8(text)) << text;
  }
  for (const char* text :
       {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe0\x80\x80", "a\x80"}) {
    EXPECT_FALSE(IsValidUtf8(text));
  }
}

}  // namespace
}  // namespace coppice::http
