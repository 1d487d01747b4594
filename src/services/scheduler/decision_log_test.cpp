#include "services/scheduler/decision_log.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "engine/tests/cluster_testing.h"
#include "services/scheduler/decision_log_format.h"
#include "services/scheduler/decision_log_reader.h"

namespace coppice::services::scheduler {
namespace {

using namespace engine::testing;  // NOLINT: helpers
using ::testing::HasSubstr;

class DecisionLogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.decision_log = ::testing::TempDir() + "/decisions-" +
                            ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void TearDown() override {
    std::filesystem::remove(options_.decision_log);
    std::filesystem::remove(options_.decision_log + ".1");
  }

  engine::Engine NewEngine() {
    engine::Engine engine(options_.configuration);
    engine.KeepInputs();
    return engine;
  }
  std::string Bytes() const { return *base::ReadFile(options_.decision_log); }

  Options options_;
};

// The number of cycles that decide the same again; fails at the first difference.
int Replayed(std::string_view bytes, const LogReader::Change& change = {}) {
  auto log = LogReader::Open(bytes, change);
  EXPECT_TRUE(log) << log.error().message();
  int cycles = 0;
  while (const auto step = log ? log->Next() : std::nullopt) {
    EXPECT_EQ(step->difference.value_or(""), "");
    ++cycles;
  }
  EXPECT_FALSE(log && log->damage()) << log->damage()->what;
  return cycles;
}

TEST_F(DecisionLogTest, IsBoundedAndGoesOnFromItsState) {
  options_.decision_log_mib = 1;
  engine::Engine engine = NewEngine();
  auto log = DecisionLog::Open(options_, engine);
  ASSERT_TRUE(log);
  engine.PutNode(GpuNode("a", 8));
  engine.PutQueue(TopQueue("team"));
  for (int i = 0; i < 150; ++i) {
    auto shape = GpuShape(1);
    shape->labels["large"] = std::string(8000, static_cast<char>('a' + i % 26));
    PutGang(engine, "g", {.shape = shape});
    (*log)->Cycle(kNow, engine.RunCycle(kNow));
  }
  EXPECT_FALSE((*log)->broken());
  ASSERT_TRUE(std::filesystem::exists(options_.decision_log + ".1"));
  EXPECT_LE(std::filesystem::file_size(options_.decision_log) +
                std::filesystem::file_size(options_.decision_log + ".1"),
            1u << 20);
  EXPECT_GT(Replayed(Bytes()), 0);
  EXPECT_GT(Replayed(*base::ReadFile(options_.decision_log + ".1")), 0);
}

TEST_F(DecisionLogTest, AnotherConfigurationDiffers) {
  engine::Engine engine = NewEngine();
  auto log = DecisionLog::Open(options_, engine);
  ASSERT_TRUE(log);
  engine.PutNode(GpuNode("a", 8));
  engine.PutQueue(TopQueue("team"));
  PutGang(engine, "one", {.shape = GpuShape(8)});
  (*log)->Cycle(kNow, engine.RunCycle(kNow));
  const std::string bytes = Bytes();
  auto other = LogReader::Open(bytes, [](Options& options) {
    options.configuration.actions = {"reclaim"};
    return base::Status();
  });
  ASSERT_TRUE(other) << other.error().message();
  const auto step = other->Next();
  ASSERT_TRUE(step && step->difference);
  EXPECT_EQ(*step->difference,
            "recorded: bind ns/one-0 to a (allocate); now: nothing about this pod");
}

TEST_F(DecisionLogTest, DamageIsNamedAndWhatIsBeforeItRead) {
  engine::Engine engine = NewEngine();
  {
    auto log = DecisionLog::Open(options_, engine);
    engine.PutNode(GpuNode("a", 8));
    for (int i = 0; i < 5; ++i) (*log)->Cycle(kNow, engine.RunCycle(kNow));
  }
  const std::string whole = Bytes();
  const auto read = [](const std::string& bytes) {
    auto log = LogReader::Open(bytes, {});
    int cycles = 0;
    while (log && log->Next()) ++cycles;
    const std::string what = !log             ? log.error().message()
                             : !log->damage() ? ""
                                              : log->damage()->what;
    return std::pair(cycles, what);
  };
  EXPECT_EQ(read(whole), std::pair(5, std::string()));
  const auto [cut, why] = read(whole.substr(0, whole.size() - 3));
  EXPECT_EQ(cut, 4);
  EXPECT_THAT(why, HasSubstr("cut off"));
  std::string flipped = whole;
  flipped[flipped.size() - 2] ^= 1;
  EXPECT_EQ(read(flipped), std::pair(4, std::string("the record's checksum is wrong")));
  EXPECT_THAT(read("something else").second, HasSubstr("not a decision log"));
  EXPECT_THAT(read(whole.substr(0, log_format::kHeader.size() + 20)).second,
              HasSubstr("before the scheduler's settings"));
  // No damage makes it crash.
  for (size_t at = log_format::kHeader.size(); at < whole.size(); at += 7) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(~bytes[at]);
    EXPECT_NE(read(bytes).second, "") << at;
  }
}

TEST_F(DecisionLogTest, AFolderThatDoesNotExistIsAnError) {
  options_.decision_log = "/nonexistent/decisions";
  engine::Engine engine = NewEngine();
  const auto log = DecisionLog::Open(options_, engine);
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message(), HasSubstr("/nonexistent/decisions"));
  options_.decision_log_mib = -1;
  EXPECT_THAT(DecisionLog::Open(options_, engine).error().message(), HasSubstr("-1"));
}

}  // namespace
}  // namespace coppice::services::scheduler
