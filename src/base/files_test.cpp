#include "base/files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace coppice::base {
namespace {

TEST(ReadFile, GivesEveryByte) {
  const std::string path = testing::TempDir() + "/coppice_read_file";
  std::ofstream(path, std::ios::binary) << std::string("a\0\r\n\xff", 5);
  EXPECT_EQ(*ReadFile(path), std::string("a\0\r\n\xff", 5));
  std::filesystem::remove(path);
}

TEST(ReadFile, SaysWhyItCannot) {
  const auto missing = ReadFile("/no/such/file");
  EXPECT_TRUE(missing.Is(ErrorCode::kNotFound));
  EXPECT_EQ(missing.error().message(), "cannot read /no/such/file: No such file or directory");
  const auto folder = ReadFile("/");
  EXPECT_TRUE(folder.Is(ErrorCode::kInvalidArgument));
  EXPECT_EQ(folder.error().message(), "cannot read /: it is a directory");
}

TEST(WriteSecretFile, IsItsOwnersAlone) {
  const std::string path = testing::TempDir() + "/coppice_write_secret";
  std::ofstream(path) << "readable by all, and longer than what replaces it";
  ASSERT_TRUE(WriteSecretFile(path, "secret"));
  EXPECT_EQ(*ReadFile(path), "secret");
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::remove(path);
  EXPECT_EQ(WriteSecretFile("/no/such/folder/file", "").error().message(),
            "cannot write /no/such/folder/file: No such file or directory");
}

}  // namespace
}  // namespace coppice::base
