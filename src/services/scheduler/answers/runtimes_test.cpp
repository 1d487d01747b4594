#include "services/scheduler/answers/runtimes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "json/yaml/yaml.h"

namespace coppice::services::scheduler {
namespace {

using namespace std::chrono_literals;
using engine::Runtime;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const base::Time kAsked = *base::ParseRfc3339("2026-01-01T12:00:00Z");

// A PodGroup of a Job, and its pods.
struct Objects {
  void Group(const std::string& job, const std::string& annotations = "{}") {
    groups.push_back(*json::ParseYaml(fmt::format(R"(
metadata:
  name: pg-{0}
  namespace: ns
  annotations: {1}
  ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: {0}, uid: u}}]
spec: {{queue: team, minMember: 1}}
)",
                                                  job, annotations)));
  }
  void Pod(const std::string& job, const std::string& spec, const std::string& status) {
    pods.push_back(*json::ParseYaml(fmt::format(R"(
metadata: {{name: {0}-p, namespace: ns, annotations: {{pod-group-name: pg-{0}}}}}
spec: {1}
status: {2}
)",
                                                job, spec, status)));
  }
  void Running(const std::string& job, const std::string& more = "") {
    Pod(job, fmt::format("{{nodeName: node{}}}", more),
        "{phase: Running, startTime: '2026-01-01T11:00:00Z'}");
  }
  void Ended(const std::string& job, int minutes) {
    Group(job);
    Pod(job, "{nodeName: node}",
        fmt::format("{{phase: Succeeded, startTime: '2026-01-01T08:00:00Z', containerStatuses: "
                    "[{{state: {{terminated: {{finishedAt: '2026-01-01T08:{:02}:00Z'}}}}}}]}}",
                    minutes));
  }
  KnownRuntimes Read() const { return ReadRuntimes({pods, groups, jobs}, kAsked); }
  Runtime Of(const std::string& job) const {
    const KnownRuntimes known = Read();
    const auto found = known.runtimes.find({"ns", "pg-" + job});
    return found == known.runtimes.end() ? Runtime{} : found->second;
  }

  std::vector<json::Value> pods, groups, jobs;
};

TEST(Runtimes, AnnotationsAndDeadlines) {
  Objects objects;
  objects.Group("a", "{kai.scheduler/expected-runtime: 90m}");
  objects.Running("a");
  EXPECT_EQ(objects.Of("a").source, Runtime::Source::kAnnotation);
  EXPECT_THAT(objects.Of("a").durations, ElementsAre(90min));
  EXPECT_EQ(objects.Of("a").started, kAsked - 1h);
  objects.Group("b");
  objects.Running("b", ", activeDeadlineSeconds: 3600");
  EXPECT_EQ(objects.Of("b").source, Runtime::Source::kDeadline);
  EXPECT_THAT(objects.Of("b").durations, ElementsAre(1h));
  // The shorter one counts.
  objects.Group("c", "{kai.scheduler/expected-runtime: 3h}");
  objects.Running("c");
  objects.jobs.push_back(*json::ParseYaml(
      "{kind: Job, metadata: {name: c, namespace: ns}, spec: {activeDeadlineSeconds: 7200}}"));
  EXPECT_THAT(objects.Of("c").durations, ElementsAre(2h));
  EXPECT_TRUE(objects.Read().problems.empty());
}

TEST(Runtimes, SimilarWorkTookSoLong) {
  Objects objects;
  objects.Ended("nightly-1", 10);
  objects.Ended("nightly-2", 30);
  objects.Group("nightly-3");
  objects.Running("nightly-3");
  EXPECT_EQ(objects.Of("nightly-3").source, Runtime::Source::kSimilar);
  EXPECT_THAT(objects.Of("nightly-3").durations, ElementsAre(10min, 30min));
  // Of another family: from three of the queue on.
  objects.Group("other");
  objects.Running("other");
  EXPECT_EQ(objects.Of("other").source, Runtime::Source::kUnknown);
  objects.Ended("nightly-4", 20);
  EXPECT_THAT(objects.Of("other").durations, ElementsAre(10min, 20min, 30min));
}

TEST(Runtimes, WhatCannotBeMeantIsIgnoredAndNamed) {
  for (const char* bad : {"soon", "-5m", "0s", "900000h"}) {
    Objects objects;
    objects.Group("a", fmt::format("{{kai.scheduler/expected-runtime: {}}}", bad));
    objects.Running("a");
    const KnownRuntimes known = objects.Read();
    EXPECT_TRUE(known.runtimes.empty()) << bad;
    ASSERT_EQ(known.problems.size(), 1u) << bad;
    EXPECT_EQ(known.problems[0].name, "ns/pg-a");
    EXPECT_THAT(known.problems[0].message, HasSubstr(fmt::format("\"{}\"", bad)));
    EXPECT_THAT(known.problems[0].message, HasSubstr("ignored"));
  }
}

TEST(Runtimes, ClocksThatDisagree) {
  Objects objects;
  objects.Group("a", "{kai.scheduler/expected-runtime: 1h}");
  objects.Pod("a", "{nodeName: node}", "{phase: Running, startTime: '2027-01-01T00:00:00Z'}");
  const KnownRuntimes known = objects.Read();
  EXPECT_EQ(known.runtimes.at({"ns", "pg-a"}).started, kAsked);
  ASSERT_EQ(known.problems.size(), 1u);
  EXPECT_THAT(known.problems[0].message, HasSubstr("in the future"));
}

TEST(Runtimes, Families) {
  EXPECT_EQ(FamilyOf("job/train-17"), "job/train-");
  EXPECT_EQ(FamilyOf("job/train-28412345"), "job/train-");
  EXPECT_EQ(FamilyOf("job/train-x7k2p"), "job/train-");
  EXPECT_EQ(FamilyOf("job/train-large"), "job/train-large");
  EXPECT_EQ(FamilyOf("job/train"), "job/train");
  EXPECT_EQ(FamilyOf("123"), "123");
}

}  // namespace
}  // namespace coppice::services::scheduler
