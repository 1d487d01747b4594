#include "cli/run/file_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/run/processes_testing.h"
#include "kube/executor/stepper.h"

namespace coppice::cli {
namespace {

class FileWatchTest : public testing::Test {
 protected:
  void Write(const std::string& content) { std::ofstream(path_) << content; }
  void Pass(std::chrono::seconds time) { executor_.RunFor(time); }

  TemporaryFolder folder_;
  const std::string path_ = folder_ / "config.yaml";
  kube::Stepper executor_;
  std::vector<std::string> seen_;
  FileWatch watch_{executor_, path_, "first",
                   [this](const std::string& content) { seen_.push_back(content); }};
};

TEST_F(FileWatchTest, SaysWhatTheFileHoldsNow) {
  Write("first");
  watch_.Start();
  Pass(std::chrono::seconds(10));
  EXPECT_TRUE(seen_.empty());
  Write("second");
  Pass(std::chrono::seconds(10));
  EXPECT_EQ(seen_, std::vector<std::string>{"second"});
}

TEST_F(FileWatchTest, AChangeBeforeItStartsIsNotMissed) {
  Write("second");
  watch_.Start();
  Pass(std::chrono::seconds(10));
  EXPECT_EQ(seen_, std::vector<std::string>{"second"});
}

TEST_F(FileWatchTest, AFileThatIsMissingForAMomentIsNoChange) {
  watch_.Start();
  Pass(std::chrono::seconds(10));
  Write("first");
  Pass(std::chrono::seconds(10));
  EXPECT_TRUE(seen_.empty());
}

}  // namespace
}  // namespace coppice::cli
