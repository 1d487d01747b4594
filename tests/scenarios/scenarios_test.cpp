// Runs every scenario below this folder, in order and under reordered events.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "sim/scenario.h"
#include "source_dir.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* wanted = std::getenv(name);
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : otherwise;
}

// The last seed, and the first: 0 is the order of events as they come, each other seed another
// order. COPPICE_SCENARIO_FIRST_SEED starts with seeds that nobody has tried yet.
uint64_t Seeds() { return FromEnvironment("COPPICE_SCENARIO_SEEDS", 20); }
uint64_t FirstSeed() { return FromEnvironment("COPPICE_SCENARIO_FIRST_SEED", 0); }

std::vector<std::string> ScenarioFiles() {
  std::vector<std::string> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(COPPICE_SOURCE_DIR "/tests/scenarios")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<std::string> ServiceFiles() {
  std::vector<std::string> files = ScenarioFiles();
  std::erase_if(files, [](const std::string& file) {
    return fs::path(file).parent_path().filename() != "services";
  });
  return files;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& file) {
  std::string name =
      fs::relative(file.param, COPPICE_SOURCE_DIR "/tests/scenarios").replace_extension().string();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

class Scenario : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Scenario);

// Every other seed of the operator's scenarios meets conflicts and crashes of the operator.
bool IsDisturbed(const std::string& file, uint64_t seed) {
  return seed % 2 == 1 && fs::path(file).parent_path().filename() == "operator";
}

TEST_P(Scenario, Holds) {
  for (uint64_t seed = FirstSeed(); seed <= Seeds(); ++seed) {
    const base::Status status = sim::RunScenarioFile(
        GetParam(), {.seed = seed, .disturbed = IsDisturbed(GetParam(), seed)});
    ASSERT_TRUE(status.ok()) << status.error().message();
  }
}

// The services' scenarios while calls fail and watches break all the while. Few seeds; to look for
// what has never been seen: COPPICE_SCENARIO_FAULT_SEEDS=100.
class FaultyScenario : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FaultyScenario);

TEST_P(FaultyScenario, Holds) {
  const uint64_t last = FromEnvironment("COPPICE_SCENARIO_FAULT_SEEDS", 2);
  for (uint64_t seed = std::max<uint64_t>(FirstSeed(), 1); seed <= last; ++seed) {
    const base::Status status = sim::RunScenarioFile(GetParam(), {.seed = seed, .faults = true});
    ASSERT_TRUE(status.ok()) << status.error().message();
  }
}

// docs/scenarios.md names every scenario of the services, and none that is not there.
TEST(ScenarioList, IsComplete) {
  std::ifstream page(COPPICE_SOURCE_DIR "/docs/scenarios.md");
  std::string line;
  std::set<std::string> named, there;
  while (std::getline(page, line) && !line.starts_with("## Not scenarios")) {
    if (!line.starts_with("| ")) continue;
    for (size_t from = line.find('`'); from != std::string::npos;) {
      const size_t to = line.find('`', from + 1);
      named.insert(line.substr(from + 1, to - from - 1));
      from = line.find('`', to + 1);
    }
  }
  for (const std::string& file : ServiceFiles()) there.insert(fs::path(file).stem().string());
  EXPECT_EQ(named, there);
}

INSTANTIATE_TEST_SUITE_P(All, Scenario, ::testing::ValuesIn(ScenarioFiles()), TestName);
INSTANTIATE_TEST_SUITE_P(All, FaultyScenario, ::testing::ValuesIn(ServiceFiles()), TestName);

}  // namespace
}  // namespace coppice
