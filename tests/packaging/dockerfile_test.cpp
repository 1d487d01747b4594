// No daemon builds deploy/Dockerfile here: at least what it names is there, and it takes the steps
// that ./dev image takes, whose image is run by image_test.sh.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "source_dir.h"
#include "source_testing.h"

namespace coppice {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// The instructions, each as its words.
std::vector<std::vector<std::string>> Instructions() {
  std::vector<std::vector<std::string>> all;
  std::istringstream file(ReadSource("deploy/Dockerfile"));
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') all.push_back(Words(line));
  }
  return all;
}

bool IsRunnable(const std::string& path) {
  const fs::path file = fs::path(COPPICE_SOURCE_DIR) / path;
  return fs::is_regular_file(file) &&
         (fs::status(file).permissions() & fs::perms::owner_exec) != fs::perms::none;
}

TEST(Dockerfile, RunsProgramsOfTheTree) {
  const std::string dev = ReadSource("dev");
  int programs = 0;
  for (const auto& words : Instructions()) {
    if (words.at(0) != "RUN") continue;
    for (size_t i = 1; i < words.size(); ++i) {
      if (i > 1 && words[i - 1] != "&&") continue;
      EXPECT_TRUE(IsRunnable(words[i])) << words[i];
      ++programs;
      if (words[i] != "./dev") continue;
      EXPECT_THAT(dev, HasSubstr("\n  " + words.at(i + 1) + ")"));
    }
  }
  EXPECT_EQ(programs, 3);
}

TEST(Dockerfile, CopiesWhatTheClosureMadeAndStartsIt) {
  std::string from, entry, user;
  for (const auto& words : Instructions()) {
    if (words.at(0) == "COPY" && words.at(1) == "--from=build") from = words.at(2);
    if (words.at(0) == "ENTRYPOINT") entry = words.at(1);
    if (words.at(0) == "USER") user = words.at(1);
  }
  const std::string dockerfile = ReadSource("deploy/Dockerfile");
  EXPECT_THAT(dockerfile, HasSubstr("tools/closure.sh build/coppice " + from + "\n"));
  EXPECT_THAT(ReadSource("dev"), HasSubstr("tools/closure.sh build/coppice "));
  EXPECT_EQ(entry, "[\"/usr/bin/coppice\"]");
  EXPECT_THAT(ReadSource("tools/closure.sh"), HasSubstr("$folder/usr/bin/coppice"));
  EXPECT_THAT(ReadSource("tools/closure.sh"), HasSubstr("coppice:x:" + user + ":"));
  EXPECT_THAT(ReadSource("tools/oci_image.py"), HasSubstr(user));
  EXPECT_THAT(ReadSource("tools/oci_image.py"), HasSubstr("/usr/bin/coppice"));
}

TEST(Dockerfile, IsNotGivenWhatWasBuiltHere) {
  EXPECT_THAT(ReadSource(".dockerignore"), HasSubstr("build*\n"));
}

}  // namespace
}  // namespace coppice
