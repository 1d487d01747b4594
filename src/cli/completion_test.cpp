#include "cli/completion.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace coppice::cli {
namespace {

using ::testing::HasSubstr;

const std::vector<CommandShape> kCommands = {
    {"up",
     "Runs it all",
     {{"--nodes", "How many", true}, {"--in-memory", "It's gone after", false}},
     {}},
    {"run", "Runs parts", {{"--leader-elect", "One at a time", false}}, {"scheduler", "binder"}},
};

// Bash's completions for these words, the last of which is being completed.
std::string Offered(const std::string& words) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("completion-{}", getpid());
  std::ofstream(path)
      << *CompletionScript("bash", kCommands) << "COMP_WORDS=(" << words << ")\n"
      << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_coppice\necho \"${COMPREPLY[*]}\"\n";
  FILE* shell = popen(fmt::format("bash {}", path.string()).c_str(), "r");
  char line[256] = "";
  if (fgets(line, sizeof line, shell) == nullptr) line[0] = 0;
  pclose(shell);
  std::filesystem::remove(path);
  std::string out(line);
  return out.substr(0, out.find('\n'));
}

TEST(Completion, BashOffersCommandsThenTheirFlagsAndWords) {
  EXPECT_EQ(Offered("coppice ''"), "up run");
  EXPECT_EQ(Offered("coppice u"), "up");
  EXPECT_EQ(Offered("coppice up --"), "--nodes --in-memory");
  EXPECT_EQ(Offered("coppice run s"), "scheduler");
  EXPECT_EQ(Offered("coppice run scheduler b"), "binder");
  EXPECT_EQ(Offered("coppice --log-level=debug run --l"), "--leader-elect");
  EXPECT_EQ(Offered("coppice --log-level debug run --l"), "--leader-elect");
}

TEST(Completion, ZshAndFishNameWhatThereIs) {
  const std::string zsh = *CompletionScript("zsh", kCommands);
  EXPECT_THAT(zsh, HasSubstr("'up:Runs it all'"));
  EXPECT_THAT(zsh, HasSubstr("'--nodes=[How many]:value:_files'"));
  EXPECT_THAT(zsh, HasSubstr("'--in-memory[It'\\''s gone after]'"));
  EXPECT_THAT(zsh, HasSubstr("'*:argument:(scheduler binder)'"));
  const std::string fish = *CompletionScript("fish", kCommands);
  EXPECT_THAT(fish, HasSubstr("-a run -d 'Runs parts'"));
  EXPECT_THAT(fish, HasSubstr("-l nodes -r -d 'How many'"));
}

// The program lists objects of the cluster itself; here a function stands for it.
TEST(Completion, ObjectsComeFromTheProgram) {
  const std::vector<CommandShape> commands = {
      {.name = "why", .flags = {{"--watch", "Again", false}}, .takes_objects = true}};
  const std::string script = *CompletionScript("bash", commands);
  EXPECT_THAT(script, HasSubstr("objects=1"));
  EXPECT_THAT(script, HasSubstr("__names"));
  EXPECT_THAT(*CompletionScript("zsh", commands), HasSubstr("'*:object:_coppice_names'"));
  EXPECT_THAT(*CompletionScript("fish", commands), HasSubstr("coppice __names"));
}

TEST(Completion, OtherShellsAreRefusedByName) {
  const auto script = CompletionScript("tcsh", kCommands);
  ASSERT_FALSE(script);
  EXPECT_THAT(script.error().message(), HasSubstr("tcsh"));
}

}  // namespace
}  // namespace coppice::cli
