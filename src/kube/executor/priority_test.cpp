// Urgent keys of one controller come before other keys of all, which still go on one at a time.
#include "kube/executor/priority.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/well_known.h"
#include "kube/client/fake_client_testing.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "kube/process/manager.h"

namespace coppice::kube {
namespace {

class Noting final : public Reconciler {
 public:
  Noting(std::string who, std::vector<std::string>& order) : who_(std::move(who)), order_(order) {}
  base::Result<Requeue> Reconcile(const ObjectKey& key) override {
    order_.push_back(who_ + " " + key.name);
    return Requeue::Done();
  }

 private:
  const std::string who_;
  std::vector<std::string>& order_;
};

struct PriorityTest : testing::TestWithParam<uint64_t> {
  FakeClient client;
  Stepper stepper{GetParam()};
  std::vector<std::string> order;
  std::unique_ptr<Manager> manager = Manager::Make(client, stepper);

  void AddController(const std::string& name, const Resource& resource, Predicate urgent,
                     Priority priority = Priority::kHighest) {
    ControllerSpec spec{.name = name, .workers = 4};
    spec.For(resource).WithPriority(priority, std::move(urgent));
    manager->AddController(std::move(spec), std::make_unique<Noting>(name, order));
  }

  void CreateMany(const Resource& resource, int count) {
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(client.Create(resource, NewObject(resource, "ns", std::to_string(i))));
    }
  }
};

bool Always(const Change&) { return true; }
bool Never(const Change&) { return false; }

// How many keys of others one controller met until it was done with its own.
int OthersUntilDone(const std::vector<std::string>& order, const std::string& controller) {
  const auto last = std::find_if(order.rbegin(), order.rend(), [&](const std::string& who) {
    return who.starts_with(controller);
  });
  return static_cast<int>(std::count_if(
      last, order.rend(), [&](const std::string& who) { return !who.starts_with(controller); }));
}

TEST_P(PriorityTest, OthersGoOnOneAtATimeWhileUrgentKeysWait) {
  AddController("urgent", api::kConfigMaps, Always);
  AddController("other", api::kSecrets, Never);
  CreateMany(api::kConfigMaps, 40);
  CreateMany(api::kSecrets, 40);
  manager->Start();
  stepper.RunUntilIdle();
  ASSERT_EQ(order.size(), 80u);
  // One of five workers is the others': fewer than they would be without, and not none.
  EXPECT_GT(OthersUntilDone(order, "urgent"), 0);
  EXPECT_LT(OthersUntilDone(order, "urgent"), 25);
}

TEST_P(PriorityTest, EachPriorityWaitsForHigherOnes) {
  AddController("first", api::kConfigMaps, Always, Priority::kHighest);
  AddController("soon", api::kSecrets, Always, Priority::kHigh);
  AddController("usual", api::kServices, Never);
  for (const Resource* resource : {&api::kConfigMaps, &api::kSecrets, &api::kServices}) {
    CreateMany(*resource, 60);
  }
  manager->Start();
  stepper.RunUntilIdle();
  ASSERT_EQ(order.size(), 180u);
  std::vector<std::string> later;
  std::copy_if(order.begin(), order.end(), std::back_inserter(later),
               [](const std::string& who) { return !who.starts_with("first"); });
  // One of five workers is the others'.
  EXPECT_LT(OthersUntilDone(order, "first"), 60);
  EXPECT_LT(OthersUntilDone(later, "soon"), 50);
  EXPECT_GT(OthersUntilDone(later, "soon"), 0);
}

// However many keys are urgent, the others are processed too.
TEST_P(PriorityTest, WithinAControllerNothingStarves) {
  const auto few = [](const Change& change) { return Name(change.object).size() == 2; };
  AddController("mixed", api::kConfigMaps, few);
  CreateMany(api::kConfigMaps, 100);  // Of these 90 are urgent.
  manager->Start();
  stepper.RunUntilIdle();
  ASSERT_EQ(order.size(), 100u);
  const auto others = std::count_if(order.begin(), order.begin() + 60, [](const auto& who) {
    return who.size() == std::string("mixed 1").size();
  });
  EXPECT_GE(others, 3);
  EXPECT_LE(others, 8);
}

TEST_P(PriorityTest, WithinAControllerUrgentKeysComeFirst) {
  const auto odd = [](const Change& change) { return (Name(change.object).back() - '0') % 2 == 1; };
  AddController("mixed", api::kConfigMaps, odd);
  CreateMany(api::kConfigMaps, 10);
  manager->Start();
  stepper.RunUntilIdle();
  ASSERT_EQ(order.size(), 10u);
  std::vector<std::string> first(order.begin(), order.begin() + 5);
  std::sort(first.begin(), first.end());
  EXPECT_THAT(first, testing::ElementsAre("mixed 1", "mixed 3", "mixed 5", "mixed 7", "mixed 9"));
}

TEST_P(PriorityTest, DeclaredWorkSlowsOthersButDoesNotStopThem) {
  AddController("other", api::kSecrets, Never);
  CreateMany(api::kSecrets, 4);
  const PriorityScope urgent(manager->runtime().priorities, Priority::kHighest);
  manager->Start();
  stepper.RunUntilIdle();
  EXPECT_EQ(order.size(), 4u);
}

TEST_P(PriorityTest, HighWaitsForHighestForABoundedTime) {
  AddController("soon", api::kSecrets, Always, Priority::kHigh);
  CreateMany(api::kSecrets, 4);
  {
    const PriorityScope first(manager->runtime().priorities, Priority::kHighest);
    manager->Start();
    stepper.RunFor(std::chrono::milliseconds(190));
    EXPECT_EQ(order.size(), 0u);
    stepper.RunFor(std::chrono::milliseconds(20));
    EXPECT_EQ(order.size(), 4u);
  }
}

TEST_P(PriorityTest, HighStartsWhenNothingHighestIsLeft) {
  AddController("soon", api::kSecrets, Always, Priority::kHigh);
  CreateMany(api::kSecrets, 4);
  {
    const PriorityScope first(manager->runtime().priorities, Priority::kHighest);
    manager->Start();
    stepper.RunUntilIdle();
    EXPECT_EQ(order.size(), 0u);
  }
  stepper.RunUntilIdle();
  EXPECT_EQ(order.size(), 4u);
}

TEST(PriorityTracker, NotifiesWhenTheHighestPriorityIsDone) {
  int relieved = 0;
  PriorityTracker priorities([&] { ++relieved; });
  {
    const PriorityScope soon(priorities, Priority::kHigh);
    {
      const PriorityScope first(priorities, Priority::kHighest);
      {
        const PriorityScope also(priorities, Priority::kHighest);
      }
      EXPECT_EQ(relieved, 0);
      EXPECT_TRUE(priorities.AnyHigherThan(Priority::kHigh));
    }
    EXPECT_EQ(relieved, 1);
    EXPECT_FALSE(priorities.AnyHigherThan(Priority::kHigh));
    EXPECT_TRUE(priorities.AnyUrgent());
  }
  EXPECT_EQ(relieved, 2);
  EXPECT_FALSE(priorities.AnyUrgent());
}

INSTANTIATE_TEST_SUITE_P(Seeds, PriorityTest, testing::Range<uint64_t>(0, 8));

}  // namespace
}  // namespace coppice::kube
