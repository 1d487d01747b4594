// Invalid command lines: one line explains the error, and the exit code is 2.
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "cli/run/processes_testing.h"

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
           {{"up", "--nodes", "many"},
            "--nodes: Value many not in range 0 to 200000\ncoppice up --help says more"},
           {{"up", "--nodes", "1000000000"}, "--nodes: Value 1000000000 not in range"},
           {{"up", "--nodes", "4", "--gpus", "-1"}, "--gpus: Value -1 not in range"},
           {{"up", "--cluster", "c.yaml", "--nodes", "4"}, "--nodes excludes --cluster"},
           {{"up", "--no-such-flag=1"}, "error: unknown flag: --no-such-flag"},
           {{"up", "--components", "operator", "--schedule-period=1s"},
            "error: unknown flag: --schedule-period"},
           {{"up", "stray"}, "error: \"stray\" is no flag"},
           {{"up", "--operator-config", "none.yaml"}, "File does not exist: none.yaml"},
           {{"up", "--scheduler-conf", "none.yaml"}, "none.yaml"},
           {{"why", "-A", "-n", "team"}, "--namespace excludes --all-namespaces"},
           {{"queues", "-o", "xml"}, "error: unknown output format \"xml\""},
           {{"tree", "a", "b"},
            "error: \"a\" is no kind of object; use NAME, KIND/NAME or KIND NAME"},
           {{"wait", "a", "--for", "happy"}, "--for \"happy\" is unknown; use ready"},
           {{"queue"}, "A subcommand is required\ncoppice queue --help says more"},
           {{"top", "pods"}, "pods not in {nodes,racks}"}}) {
    std::filesystem::remove(folder / "log");
    Process process(mistake.arguments, folder / "log");
    EXPECT_EQ(process.Wait(), 2) << mistake.said;
    const std::string said = base::ReadFile(folder / "log").value_or("");
    EXPECT_NE(said.find(mistake.said), std::string::npos) << said;
  }
}

TEST(Usage, CompletionOffersAllThatRunTakes) {
  const TemporaryFolder folder;
  Process process({"completion", "bash"}, folder / "log");
  const std::string script = process.ReadAll();
  for (const char* word : {" backend ", " reservation ", " scheduler ", " platform "}) {
    EXPECT_NE(script.find(word), std::string::npos) << word;
  }
  // Also the components' own flags, and those of up.
  for (const char* flag : {"--operator-config", "--scheduler-conf", "--gpu-sharing-enabled"}) {
    EXPECT_NE(script.find(flag), std::string::npos) << flag;
  }
  EXPECT_EQ(process.Wait(), 0);
}

TEST(Usage, HelpAndVersionAreNoMistakes) {
  const TemporaryFolder folder;
  for (const char* argument : {"--help", "--version", "version", "help"}) {
    Process process({argument}, folder / "log");
    EXPECT_NE(process.ReadAll().find("oppice"), std::string::npos) << argument;
    EXPECT_EQ(process.Wait(), 0) << argument;
  }
  Process help({"help", "queue", "hold"}, folder / "log");
  EXPECT_NE(help.ReadAll().find("Let nothing new of a queue start"), std::string::npos);
  EXPECT_EQ(help.Wait(), 0);
}

}  // namespace
}  // namespace coppice::cli
