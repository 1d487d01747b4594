#include "services/queues/group_sums.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "json/yaml/yaml.h"

namespace coppice::services::queues {
namespace {

json::Value Group(int i, const std::string& queue, const std::string& amounts) {
  return *json::ParseYaml(
      fmt::format("{{metadata: {{namespace: default, name: g{}}}, spec: {{queue: {}}}, status: "
                  "{{resourcesStatus: {{allocated: {{{}}}}}}}}}",
                  i, queue, amounts));
}

std::string Allocated(const GroupSums& sums, const std::string& queue) {
  const Usage sum = sums.Of(queue);
  std::string text;
  for (const auto& [name, amount] : sum.allocated.amounts()) {
    text += name + "=" + amount.ToString() + " ";
  }
  return text;
}

TEST(GroupSums, FollowGroupsThatComeChangeMoveAndGo) {
  GroupSums sums;
  const json::Value a = Group(1, "q", "cpu: 500m"), b = Group(2, "q", "cpu: '2', gpu: '1'");
  sums.OnChange({kube::ChangeType::kAdded, {}, a});
  sums.OnChange({kube::ChangeType::kAdded, {}, b});
  EXPECT_EQ(Allocated(sums, "q"), "cpu=2500m gpu=1 ");
  const json::Value moved = Group(2, "r", "cpu: '2'");
  sums.OnChange({kube::ChangeType::kUpdated, b, moved});
  EXPECT_EQ(Allocated(sums, "q"), "cpu=500m ");
  EXPECT_EQ(Allocated(sums, "r"), "cpu=2 ");
  sums.OnChange({kube::ChangeType::kDeleted, a, a});
  EXPECT_EQ(Allocated(sums, "q"), "");
}

// A resource that a group names, be it with nothing of it, is part of the sum as long as one does.
TEST(GroupSums, AResourceIsThereWhileAGroupNamesIt) {
  GroupSums sums;
  const json::Value none = Group(1, "q", "gpu: '0'"), some = Group(2, "q", "gpu: '3'");
  sums.OnChange({kube::ChangeType::kAdded, {}, none});
  sums.OnChange({kube::ChangeType::kAdded, {}, some});
  sums.OnChange({kube::ChangeType::kDeleted, some, some});
  EXPECT_EQ(Allocated(sums, "q"), "gpu=0 ");
}

TEST(GroupSums, AStatusThatCannotBeReadCountsForNothingUntilItIsRepaired) {
  GroupSums sums;
  const json::Value bad = Group(1, "q", "cpu: many"), good = Group(1, "q", "cpu: '1'");
  sums.OnChange({kube::ChangeType::kAdded, {}, bad});
  sums.OnChange({kube::ChangeType::kAdded, {}, Group(2, "q", "cpu: '2'")});
  EXPECT_EQ(Allocated(sums, "q"), "cpu=2 ");
  sums.OnChange({kube::ChangeType::kUpdated, bad, good});
  EXPECT_EQ(Allocated(sums, "q"), "cpu=3 ");
  sums.OnChange({kube::ChangeType::kUpdated, good, bad});
  sums.OnChange({kube::ChangeType::kDeleted, bad, bad});
  EXPECT_EQ(Allocated(sums, "q"), "cpu=2 ");
}

TEST(GroupSums, EqualWhatAddingUpGives) {
  std::mt19937 random(3);
  GroupSums sums;
  std::map<int, json::Value> groups;
  for (int step = 0; step < 500; ++step) {
    const int i = static_cast<int>(random() % 20);
    const json::Value next =
        Group(i, random() % 2 ? "q" : "r", fmt::format("cpu: {}m", random() % 1000));
    const auto known = groups.find(i);
    if (known == groups.end()) {
      sums.OnChange({kube::ChangeType::kAdded, {}, next});
      groups[i] = next;
    } else if (random() % 4 == 0) {
      sums.OnChange({kube::ChangeType::kDeleted, known->second, known->second});
      groups.erase(known);
    } else {
      sums.OnChange({kube::ChangeType::kUpdated, known->second, next});
      known->second = next;
    }
  }
  for (const char* queue : {"q", "r"}) {
    Usage whole;
    for (const auto& [i, group] : groups) {
      if (group["spec"]["queue"].AsString() != queue) continue;
      whole.Add(*Usage::Read(view::kai::PodGroup(group).status().resourcesStatus()));
    }
    EXPECT_EQ(sums.Of(queue).allocated, whole.allocated);
  }
}

}  // namespace
}  // namespace coppice::services::queues
