#include "operator/podclique/pod_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "operator/runtime/labels.h"

namespace coppice::operators::podclique {
namespace {

using backends::DeletionTieBreak;

struct Shape {
  int index = 0;
  std::string created = "2026-01-01T00:00:00Z";
  std::string phase = "Running";
  bool ready = true;
  std::string node = "n";
  std::string hash = "new";
};

json::Value Pod(const Shape& shape) {
  const std::string host = fmt::format("a-0-w-{}", shape.index);
  json::Value pod = json::Value::Object();
  json::Value& metadata = pod.Mutable("metadata");
  metadata.Set("name", host);
  metadata.Set("creationTimestamp", shape.created);
  metadata.Mutable("labels").Set(std::string(labels::kTemplateHash), shape.hash);
  pod.Mutable("spec").Set("hostname", host);
  if (!shape.node.empty()) pod.Mutable("spec").Set("nodeName", shape.node);
  pod.Mutable("status").Set("phase", shape.phase);
  pod.Mutable("status")
      .Mutable("conditions")
      .Append(json::Value::Object({{"type", "Ready"}, {"status", shape.ready ? "True" : "False"}}));
  return pod;
}

std::vector<std::string> Sorted(const std::vector<Shape>& shapes,
                                DeletionTieBreak tie_break = DeletionTieBreak::kHighestIndexFirst) {
  std::vector<json::Value> pods;
  for (const Shape& shape : shapes) pods.push_back(Pod(shape));
  SortForDeletion(pods, "new", tie_break);
  std::vector<std::string> order;
  for (const json::Value& pod : pods) {
    order.push_back(pod["spec"]["hostname"].ToString().substr(6));
  }
  return order;
}

using Order = std::vector<std::string>;

TEST(PodOrder, WithoutNodeThenPhaseThenUnreadyThenOutdatedThenNewest) {
  EXPECT_EQ(Sorted({{.index = 0},
                    {.index = 1, .created = "2026-01-01T00:00:01Z"},
                    {.index = 2, .hash = "old"},
                    {.index = 3, .ready = false},
                    {.index = 4, .phase = "Unknown", .ready = false},
                    {.index = 5, .phase = "Pending", .ready = false},
                    {.index = 6, .phase = "Pending", .ready = false, .node = ""}}),
            (Order{"6", "5", "4", "3", "2", "1", "0"}));
}

TEST(PodOrder, OfOneSecondTheHighestIndexGoesFirst) {
  EXPECT_EQ(Sorted({{.index = 0}, {.index = 2}, {.index = 1}}), (Order{"2", "1", "0"}));
}

TEST(PodOrder, OfOneSecondUpstreamTakesThemAsItsBatchesReachedTheServer) {
  std::vector<Shape> shapes;
  for (int i = 0; i < 8; ++i) shapes.push_back({.index = i});
  EXPECT_EQ(Sorted(shapes, DeletionTieBreak::kCreationBatches),
            (Order{"0", "2", "1", "6", "3", "4", "5", "7"}));
}

TEST(PodOrder, UpstreamsOrderHoldsOnlyAmongEquals) {
  EXPECT_EQ(Sorted({{.index = 0, .created = "2025-12-31T00:00:00Z"},
                    {.index = 1, .created = "2025-12-31T00:00:00Z"},
                    {.index = 2},
                    {.index = 3},
                    {.index = 4}},
                   DeletionTieBreak::kCreationBatches),
            (Order{"2", "4", "3", "0", "1"}));
}

TEST(PodOrder, FreeIndicesFillHoles) {
  const std::vector<json::Value> pods = {Pod({.index = 0}), Pod({.index = 3})};
  EXPECT_EQ(*FreeIndices(pods, 3), (std::vector<int>{1, 2, 4}));
}

TEST(PodOrder, FinishedPodsFreeTheirIndex) {
  EXPECT_EQ(*FreeIndices({Pod({.index = 0, .phase = "Failed"})}, 1), (std::vector<int>{0}));
}

TEST(PodOrder, TwoPodsOfOneIndexAreAnError) {
  EXPECT_FALSE(FreeIndices({Pod({.index = 1}), Pod({.index = 1})}, 1));
}

}  // namespace
}  // namespace coppice::operators::podclique
