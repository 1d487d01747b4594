// Runs every scenario below this folder, in order and under reordered events.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "sim/scenario.h"
#include "source_dir.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

// Seeds beside 0, each another order of events.
constexpr uint64_t kSeeds = 20;

std::vector<std::string> ScenarioFiles() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(COPPICE_SOURCE_DIR "/tests/scenarios")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& file) {
  std::string name = fs::relative(file.param, COPPICE_SOURCE_DIR "/tests/scenarios")
                         .replace_extension()
                         .string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

class Scenario : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Scenario);

TEST_P(Scenario, Holds) {
  for (uint64_t seed = 0; seed <= kSeeds; ++seed) {
    const base::Status status = sim::RunScenarioFile(GetParam(), {.seed = seed});
    ASSERT_TRUE(status.ok()) << status.error().message();
  }
}

INSTANTIATE_TEST_SUITE_P(All, Scenario, ::testing::ValuesIn(ScenarioFiles()), TestName);

}  // namespace
}  // namespace coppice
