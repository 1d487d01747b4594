#include "base/base64.h"

#include <gtest/gtest.h>

#include <vector>

namespace coppice::base {
namespace {

TEST(Base64Test, EncodesAndDecodes) {
  for (const auto& [plain, encoded] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}}) {
    EXPECT_EQ(Base64Encode(plain), encoded);
    EXPECT_EQ(*Base64Decode(encoded), plain);
  }
  EXPECT_EQ(Base64Encode("\xfb\xff"), "+/8=");
  EXPECT_EQ(Base64UrlEncode("\xfb\xff"), "-_8");
  EXPECT_EQ(*Base64UrlDecode("-_8"), "\xfb\xff");
}

TEST(Base64Test, BytesOfEveryLengthComeBack) {
  std::string bytes;
  for (int i = 0; i < 600; ++i) {
    EXPECT_EQ(*Base64Decode(Base64Encode(bytes)), bytes);
    EXPECT_EQ(*Base64UrlDecode(Base64UrlEncode(bytes)), bytes);
    bytes += static_cast<char>(i * 7);
  }
}

TEST(Base64Test, IgnoresLineBreaks) {
  EXPECT_EQ(*Base64Decode("Zm9v\r\nYg==\n"), "foob");
  EXPECT_EQ(*Base64Decode("Zg=\n="), "f");
  EXPECT_EQ(*Base64Decode("\n"), "");
}

TEST(Base64Test, NamesTheByteThatIsWrong) {
  for (const auto& [text, at] : std::vector<std::pair<std::string, int>>{{"Zg=", 3},
                                                                         {"Zg", 2},
                                                                         {"Z", 1},
                                                                         {"Zm9v!", 4},
                                                                         {"Zm 9v", 2},
                                                                         {"====", 0},
                                                                         {"Zg==Zg==", 4},
                                                                         {"Zg===", 4},
                                                                         {"Zm9v=", 4},
                                                                         {"-_8=", 0}}) {
    const auto decoded = Base64Decode(text);
    ASSERT_FALSE(decoded) << text;
    EXPECT_EQ(decoded.error().message(), "illegal base64 data at input byte " + std::to_string(at))
        << text;
  }
  for (const char* text : {"Zg==", "Z", "+/8"}) EXPECT_FALSE(Base64UrlDecode(text)) << text;
}

}  // namespace
}  // namespace coppice::base
