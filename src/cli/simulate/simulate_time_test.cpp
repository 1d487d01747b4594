#include "cli/simulate/simulate_time.h"

#include <gtest/gtest.h>

#include <sstream>

namespace coppice::cli {
namespace {

constexpr char kTwoQueues[] = R"(
Cycles: 60
WindowSize: 10
KValue: 1.0
Nodes: [{GPUs: 8, Count: 2}]
Queues:
- {Name: a, Parent: top, Weight: 1}
- {Name: b, Parent: top, Weight: 1}
Jobs:
  a: {GPUs: 8, NumPods: 1, NumJobs: 4}
  b: {GPUs: 16, NumPods: 1, NumJobs: 0}
)";

struct Line {
  int time = 0;
  std::string queue;
  double allocation = 0, fair_share = 0;
};

std::vector<Line> Simulate(const std::string& yaml) {
  const auto simulation = ReadTimeSimulation(yaml);
  EXPECT_TRUE(simulation) << simulation.error().message();
  std::istringstream csv(SimulateTime(*simulation));
  std::string text;
  std::getline(csv, text);
  EXPECT_EQ(text, "Time,QueueID,Allocation,FairShare");
  std::vector<Line> lines;
  while (std::getline(csv, text)) {
    Line line;
    char queue[64] = "";
    EXPECT_EQ(std::sscanf(text.c_str(), "%d,%63[^,],%lf,%lf", &line.time, queue, &line.allocation,
                          &line.fair_share),
              4)
        << text;
    line.queue = queue;
    lines.push_back(line);
  }
  return lines;
}

TEST(TimeSimulator, OneQueueGetsWhatTheOtherDoesNotWant) {
  const auto lines = Simulate(kTwoQueues);
  ASSERT_EQ(lines.size(), 60u * 3);  // a, b and the parent that is not described.
  for (const Line& line : lines) {
    if (line.queue == "a") {
      EXPECT_EQ(line.allocation, 16) << line.time;
    }
    if (line.queue == "b") {
      EXPECT_EQ(line.allocation, 0) << line.time;
    }
  }
}

// Two queues of equal weight that can only be served alternately: the one that had the cluster
// loses it.
TEST(TimeSimulator, PastUsageMakesQueuesTakeTurns) {
  const std::string yaml = R"(
Cycles: 80
WindowSize: 10
KValue: 1.0
Nodes: [{GPUs: 8}]
Queues: [{Name: a, Parent: top}, {Name: b, Parent: top}]
Jobs:
  a: {GPUs: 8, NumPods: 1, NumJobs: 1}
  b: {GPUs: 8, NumPods: 1, NumJobs: 1}
)";
  std::map<std::string, double> served;
  double highest = 0;
  for (const Line& line : Simulate(yaml)) {
    served[line.queue] += line.allocation;
    if (line.queue != "top") highest = std::max(highest, line.fair_share);
  }
  EXPECT_GT(served["a"], 0);
  EXPECT_GT(served["b"], 0);
  EXPECT_GT(highest, 4);  // More than half for the queue that had less.
}

TEST(TimeSimulator, SameInputSameOutput) {
  const auto simulation = ReadTimeSimulation(kTwoQueues);
  EXPECT_EQ(SimulateTime(*simulation), SimulateTime(*simulation));
}

}  // namespace
}  // namespace coppice::cli
