#include "page/model/model.h"

#include <gtest/gtest.h>

#include "page/model/history.h"
#include "page/model/table.h"

namespace coppice::page {
namespace {

NodeFacts Node(double gpus, bool cordoned = false) {
  NodeFacts node;
  node.has = {64, 1e12, gpus};
  node.ready = true;
  node.cordoned = cordoned;
  return node;
}

PodFacts PodOf(std::string workload, std::string node, double gpus) {
  PodFacts pod;
  pod.workload = std::move(workload);
  pod.state = node.empty() ? PodState::kPending : PodState::kReady;
  pod.node = std::move(node);
  pod.asks = {1, 1e9, gpus};
  pod.created = 100;
  return pod;
}

const WorkloadRow& RowOf(const Model& model, std::string_view id) {
  for (const WorkloadRow& row : model.workloads) {
    if (row.id == id) return row;
  }
  ADD_FAILURE() << "no row " << id;
  static const WorkloadRow kNone;
  return kNone;
}

class PageModel : public testing::Test {
 protected:
  Model Build() { return BuildModel(facts_, answers_, numbers_); }

  Facts facts_;
  Answers answers_;
  Numbers numbers_;
};

TEST_F(PageModel, CountsGpusHeldFreeAndStranded) {
  facts_.nodes["a"] = Node(8);
  facts_.nodes["b"] = Node(8, true);
  facts_.pods[{"x", "p1"}] = PodOf("x/Job/j", "a", 3);
  facts_.pods[{"x", "p2"}] = PodOf("x/Job/j", "b", 2);
  PodFacts shares = PodOf("x/Pod/s", "a", 0);
  shares.shared = 1;
  shares.portion = 0.25;
  shares.gpu_groups = {"g"};
  facts_.pods[{"x", "s"}] = shares;
  const Model model = Build();
  EXPECT_EQ(model.overview.gpus, 16);
  EXPECT_EQ(model.overview.held, 5.25);
  EXPECT_EQ(model.overview.parts, 0.75);
  EXPECT_EQ(model.overview.stranded, 6);
  EXPECT_EQ(model.overview.largest_hole, 4);
  EXPECT_EQ(model.nodes[1].stranded, "cordoned");
  const int64_t job = RowOf(model, "x/Job/j").number, pod = RowOf(model, "x/Pod/s").number;
  EXPECT_EQ(model.nodes[0].cells, fmt::format("{}r3;~{}r0.25", job, pod));
  EXPECT_EQ(RowOf(model, "x/Job/j").where, "2 nodes");
}

TEST_F(PageModel, ReservationPodsAreNoWorkload) {
  facts_.nodes["a"] = Node(8);
  PodFacts pod = PodOf("r/Pod/reservation", "a", 1);
  pod.reserves = true;
  facts_.pods[{"r", "reservation"}] = pod;
  const Model model = Build();
  EXPECT_TRUE(model.workloads.empty());
  EXPECT_EQ(model.nodes[0].pods, 1);
  EXPECT_EQ(model.nodes[0].cells, "");
}

TEST_F(PageModel, PhasesFromPodsAndOwners) {
  facts_.nodes["a"] = Node(8);
  facts_.groups[{"x", "pg"}].min = 2;
  facts_.groups[{"x", "pg"}].owner = "x/Job/gang";
  facts_.groups[{"x", "pg"}].queue = "q";
  for (const char* name : {"1", "2"}) {
    PodFacts pod = PodOf("x/Job/gang", name[0] == '1' ? "a" : "", 1);
    pod.group = "pg";
    facts_.pods[{"x", name}] = pod;
  }
  facts_.jobs[{"x", "suspended"}].suspended = true;
  facts_.jobs[{"x", "suspended"}].asked = 4;
  facts_.jobs[{"x", "complete"}].done = true;
  const Model model = Build();
  EXPECT_EQ(RowOf(model, "x/Job/gang").phase, "Waiting");
  EXPECT_EQ(RowOf(model, "x/Job/gang").min, 2);
  EXPECT_EQ(RowOf(model, "x/Job/gang").queue, "q");
  EXPECT_EQ(RowOf(model, "x/Job/gang").asked, 1);
  EXPECT_EQ(RowOf(model, "x/Job/suspended").phase, "Suspended");
  EXPECT_EQ(RowOf(model, "x/Job/suspended").asked, 4);
  EXPECT_EQ(RowOf(model, "x/Job/complete").phase, "Done");
  ASSERT_EQ(model.waiting_groups.size(), 1U);
  EXPECT_EQ(model.waiting_groups[0].name, "pg");
}

TEST_F(PageModel, TheEngineExplainsBest) {
  PodFacts pod = PodOf("x/Job/j", "", 4);
  pod.group = "pg";
  pod.reason = "Unschedulable";
  facts_.pods[{"x", "p"}] = pod;
  EXPECT_EQ(RowOf(Build(), "x/Job/j").reason, "Unschedulable");
  engine::Explanation said;
  said.verdict = engine::Verdict::kNeedsAction;
  said.reason = "Limit";
  said.summary = "queue q is limited to 2 GPUs";
  said.changes.push_back({"raiseLimit", "q", 4, "gpu", "raise the limit of q to 4"});
  answers_.explanations[{"x", "pg"}] = said;
  const Model model = Build();
  const WorkloadRow& row = RowOf(model, "x/Job/j");
  EXPECT_EQ(row.reason, "Limit");
  EXPECT_EQ(row.change, "raise the limit of q to 4");
  EXPECT_EQ(row.verdict, "NeedsAction");
  ASSERT_EQ(model.overview.reasons.size(), 1U);
  EXPECT_EQ(model.overview.reasons[0], (ReasonRow{"Limit", 1, 4}));
}

TEST_F(PageModel, QueuesHaveTheEnginesShares) {
  facts_.queues["top"].kind = "Queue";
  facts_.queues["team"] = {"top", "Queue", 100, {4, -1}, {}, {}};
  engine::QueueShare share;
  share.queue = "team";
  share.fair_share[2] = 6;
  share.allocated[0] = 2500;
  answers_.shares["team"] = share;
  const Model model = Build();
  ASSERT_EQ(model.queues.size(), 2U);
  EXPECT_EQ(model.queues[0].depth, 1);
  EXPECT_EQ(model.queues[0].facts.gpu.fair_share, 6);
  EXPECT_EQ(model.queues[0].facts.cpu.held, 2.5);
  facts_.queues["top"].parent = "team";  // A cycle does not hang.
  EXPECT_EQ(Build().queues[0].depth, 0);
}

TEST_F(PageModel, NumbersStayWhileAWorkloadExists) {
  facts_.pods[{"x", "a"}] = PodOf("x/Job/a", "", 1);
  const int64_t first = RowOf(Build(), "x/Job/a").number;
  facts_.pods[{"x", "b"}] = PodOf("x/Job/b", "", 1);
  EXPECT_EQ(RowOf(Build(), "x/Job/a").number, first);
  facts_.pods.erase({"x", "a"});
  Build();
  EXPECT_EQ(numbers_.size(), 1U);
}

TEST(History, RecordsWhatChanges) {
  History history;
  std::vector<WorkloadRow> rows(1);
  rows[0].id = "x/Job/a";
  rows[0].phase = "Waiting";
  history.Note(rows, {}, 1);
  EXPECT_TRUE(history.Rows().empty());
  rows[0].phase = "Running";
  history.Note(rows, {}, 2);
  history.Note({}, {}, 3);
  ASSERT_EQ(history.Rows().size(), 2U);
  EXPECT_EQ(history.Rows()[0].text, "gone, was Running");
  EXPECT_EQ(history.Rows()[1], (ChangeRow{2, "workload", "x/Job/a", "Waiting → Running"}));
}

TEST(Table, ReportsOnlyWhatChanges) {
  Table<QueueRow> table;
  std::vector<QueueRow> rows(3);
  rows[0].id = "a";
  rows[1].id = "b";
  rows[2].id = "d";
  EXPECT_EQ(table.Replace(rows).put.size(), 3U);
  EXPECT_TRUE(table.Replace(rows).empty());
  rows[1].id = "c";
  rows[2].facts.priority = 7;
  const RowChanges changes = table.Replace(rows);
  EXPECT_EQ(changes.del, std::vector<std::string>{"b"});
  EXPECT_EQ(changes.put.size(), 2U);
  EXPECT_TRUE(table.Replace({}).put.empty());
  EXPECT_EQ(table.Json(), "[]");
}

}  // namespace
}  // namespace coppice::page
