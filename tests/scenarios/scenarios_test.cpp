// Runs every scenario below this folder, in order and under reordered events.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "cli/why/why.h"
#include "cli/why/why_format.h"
#include "scenario/scenario.h"
#include "source_dir.h"
#include "tests/crds/crds.h"

namespace coppice {
namespace {

namespace fs = std::filesystem;

// The number in this variable. One that cannot be read fails the test.
uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* wanted = std::getenv(name);
  if (wanted == nullptr) return otherwise;
  const std::string_view text = wanted;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  EXPECT_TRUE(whole && number < UINT64_MAX) << name << " is no seed: \"" << text << '"';
  return number;
}

// From the first seed to the last. A range without a seed in it fails the test: whoever asked for
// it meant another.
std::vector<uint64_t> Range(uint64_t first, uint64_t last) {
  EXPECT_LE(first, last) << "no seed to run: the first is " << first << ", the last " << last;
  std::vector<uint64_t> seeds;
  for (uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  return seeds;
}

// 0 is the order of events as they come, each other seed another order.
// COPPICE_SCENARIO_FIRST_SEED starts with seeds that nobody has tried yet, COPPICE_SCENARIO_SEEDS
// is the last.
uint64_t FirstSeed() { return FromEnvironment("COPPICE_SCENARIO_FIRST_SEED", 0); }

std::vector<uint64_t> Seeds() {
  const uint64_t first = FirstSeed();
  return Range(first, FromEnvironment("COPPICE_SCENARIO_SEEDS", first + 20));
}

// 50 seeds that depend on nothing but this text.
std::vector<uint64_t> Drawn(std::string_view text) {
  EXPECT_FALSE(text.empty()) << "COPPICE_SCENARIO_FAULT_DRAW is empty";
  std::seed_seq mixed(text.begin(), text.end());
  std::mt19937_64 random(mixed);
  std::vector<uint64_t> seeds;
  for (int i = 0; i < 50; ++i) seeds.push_back(1 + random() % 1'000'000'000);
  return seeds;
}

// Few, up to COPPICE_SCENARIO_FAULT_SEEDS, or those drawn from COPPICE_SCENARIO_FAULT_DRAW.
std::vector<uint64_t> FaultSeeds() {
  if (const char* text = std::getenv("COPPICE_SCENARIO_FAULT_DRAW")) return Drawn(text);
  const uint64_t first = std::max<uint64_t>(FirstSeed(), 1);
  return Range(first, FromEnvironment("COPPICE_SCENARIO_FAULT_SEEDS", first + 1));
}

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

base::Result<json::Value> AskWhy(kube::Client& client, kube::Stepper& stepper,
                                 const std::string& ns, const std::string& target) {
  const auto wait = [&](const std::function<bool()>& done) {
    return stepper.RunUntil(done, std::chrono::minutes(1));
  };
  COPPICE_ASSIGN(json::Value answers, cli::ReadWhy(client, stepper, ns, target, wait));
  for (json::Value& answer : answers.MutableItems()) {
    answer.Set("text", cli::FormatWhy(json::Value::Array({answer})));
  }
  return answers;
}

class Scenario : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Scenario);

// Every other seed of the operator's scenarios meets conflicts and crashes of the operator.
bool IsDisturbed(const std::string& file, uint64_t seed) {
  return seed % 2 == 1 && fs::path(file).parent_path().filename() == "operator";
}

// What is said depends on where things have come to, not on how: two orders of events suffice.
std::vector<uint64_t> SeedsOf(const std::string& file) {
  std::vector<uint64_t> seeds = Seeds();
  const bool asks = fs::path(file).parent_path().filename() == "why";
  if (asks && seeds.size() > 2) seeds.resize(2);
  return seeds;
}

TEST_P(Scenario, Holds) {
  for (const uint64_t seed : SeedsOf(GetParam())) {
    const base::Status status =
        scenario::RunScenarioFile(GetParam(), {.seed = seed,
                                               .disturbed = IsDisturbed(GetParam(), seed),
                                               .why = AskWhy,
                                               .crds = test_crds::Of});
    ASSERT_TRUE(status.ok()) << status.error().message();
  }
}

// The services' scenarios while calls fail and watches break all the while.
class FaultyScenario : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(FaultyScenario);

TEST_P(FaultyScenario, Holds) {
  for (const uint64_t seed : FaultSeeds()) {
    const base::Status status =
        scenario::RunScenarioFile(GetParam(), {.seed = seed, .faults = true});
    ASSERT_TRUE(status.ok()) << status.error().message();
  }
}

TEST(ScenarioSeeds, EmptyRangeFails) {
  EXPECT_NONFATAL_FAILURE(Range(7001, 6), "no seed to run: the first is 7001, the last 6");
  EXPECT_EQ(Range(7, 7), std::vector<uint64_t>{7});
}

TEST(ScenarioSeeds, WhatIsNoNumberFails) {
  setenv("COPPICE_SCENARIO_NONE", "7x", 1);
  EXPECT_NONFATAL_FAILURE(FromEnvironment("COPPICE_SCENARIO_NONE", 0), "is no seed: \"7x\"");
}

TEST(ScenarioSeeds, SameTextDrawsTheSameSeeds) {
  EXPECT_EQ(Drawn("3f2a"), Drawn("3f2a"));
  EXPECT_NE(Drawn("3f2a"), Drawn("3f2b"));
  EXPECT_EQ(Drawn("3f2a").size(), 50);
  EXPECT_NONFATAL_FAILURE(Drawn(""), "COPPICE_SCENARIO_FAULT_DRAW is empty");
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
