// Command lines that cannot be meant: one line says what is wrong, and the exit code is 2.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "cli/processes_testing.h"

namespace coppice::cli {
namespace {

struct Mistake {
  std::vector<std::string> arguments;
  std::string said;
};

TEST(Usage, MistakesAreNamed) {
  const TemporaryFolder folder;
  for (const Mistake& mistake : std::vector<Mistake>{
           {{"treee"}, "error: there is no command \"treee\"; coppice --help lists them"},
           {{"--log-level", "warn", "treee"}, "there is no command \"treee\""},
           {{}, "error: A subcommand is required\ncoppice --help says more"},
           {{"up", "--nodes", "many"}, "--nodes = many\ncoppice up --help says more"},
           {{"why"}, "error: target is required\ncoppice why --help says more"},
           {{"queues", "-o", "xml"}, "error: unknown output format \"xml\""},
           {{"tree", "a", "b"}, "not expected: b"}}) {
    std::filesystem::remove(folder / "log");
    Process process(mistake.arguments, folder / "log");
    EXPECT_EQ(process.Wait(), 2) << mistake.said;
    const std::string said = base::ReadFile(folder / "log").value_or("");
    EXPECT_NE(said.find(mistake.said), std::string::npos) << said;
  }
}

TEST(Usage, HelpAndVersionAreNoMistakes) {
  const TemporaryFolder folder;
  for (const char* argument : {"--help", "--version", "version"}) {
    Process process({argument}, folder / "log");
    EXPECT_NE(process.ReadAll().find("oppice"), std::string::npos) << argument;
    EXPECT_EQ(process.Wait(), 0) << argument;
  }
}

}  // namespace
}  // namespace coppice::cli
