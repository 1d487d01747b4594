#include "http/crypto.h"

#include <gtest/gtest.h>

#include <set>

namespace coppice::http {
namespace {

TEST(CryptoTest, HashesKnownVectors) {
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(CryptoTest, EncodesAndDecodesBase64) {
  for (const auto& [plain, encoded] : std::vector<std::pair<std::string, std::string>>{
           {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}}) {
    EXPECT_EQ(Base64Encode(plain), encoded);
    EXPECT_EQ(*Base64Decode(encoded), plain);
  }
  EXPECT_EQ(Base64UrlEncode("\xfb\xff"), "-_8");
  EXPECT_EQ(*Base64UrlDecode("-_8"), "\xfb\xff");
}

TEST(CryptoTest, RejectsDamagedBase64) {
  for (const char* text : {"Zg=", "Z", "Zm9v!", "====", "Zg==Zg=="}) {
    EXPECT_FALSE(Base64Decode(text)) << text;
  }
}

TEST(CryptoTest, RandomBytesRoundTripThroughBase64) {
  for (size_t size = 0; size < 70; ++size) {
    const std::string bytes = RandomBytes(size);
    EXPECT_EQ(*Base64Decode(Base64Encode(bytes)), bytes);
    EXPECT_EQ(*Base64UrlDecode(Base64UrlEncode(bytes)), bytes);
  }
}

TEST(CryptoTest, UuidsAreDistinctAndOfVersionFour) {
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string uuid = NewUuid();
    ASSERT_EQ(uuid.size(), 36u);
    EXPECT_EQ(uuid[14], '4');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    EXPECT_TRUE(seen.insert(uuid).second);
  }
}

TEST(CryptoTest, GzipRoundTripsAndRefusesBombs) {
  const std::string text(1 << 20, 'a');
  const std::string packed = Gzip(text);
  EXPECT_LT(packed.size(), text.size() / 50);
  EXPECT_EQ(*Gunzip(packed, text.size()), text);
  EXPECT_TRUE(Gunzip(packed, 1000).Is(base::ErrorCode::kTooLarge));
  EXPECT_FALSE(Gunzip(packed.substr(0, packed.size() / 2), text.size()));
  EXPECT_FALSE(Gunzip("not gzip", 1000));
}

TEST(CryptoTest, ComparesSecrets) {
  EXPECT_TRUE(ConstantTimeEqual("token", "token"));
  EXPECT_FALSE(ConstantTimeEqual("token", "tokem"));
  EXPECT_FALSE(ConstantTimeEqual("token", "toke"));
}

}  // namespace
}  // namespace coppice::http
