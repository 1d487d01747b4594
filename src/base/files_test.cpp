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

}  // namespace
}  // namespace coppice::base
