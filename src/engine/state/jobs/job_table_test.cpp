#include "engine/state/jobs/job_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::engine {
namespace {

using ::testing::ElementsAre;

class JobTableTest : public ::testing::Test {
 protected:
  JobId Put(const std::string& space, const std::string& name) {
    PodGroupSpec spec;
    spec.namespace_name = space;
    spec.name = name;
    const JobId id = jobs_.ByName(names_.Intern(space), names_.Intern(name));
    jobs_.Put(id, spec);
    return id;
  }
  // The updated jobs.
  std::vector<JobId> Refresh() {
    std::vector<JobId> updated;
    jobs_.Refresh([](JobId) {},
                  [&](JobId id) {
                    jobs_[id].tasks_changed = false;
                    updated.push_back(id);
                  });
    return updated;
  }

  Names names_;
  CycleLog log_;
  JobTable jobs_{names_, log_, false};
};

TEST_F(JobTableTest, OrderHasThoseThatExistByName) {
  const JobId b = Put("ns", "b"), a2 = Put("other", "a"), a = Put("ns", "a"), c = Put("ns", "c");
  jobs_.ByName(names_.Intern("ns"), names_.Intern("named"));
  jobs_.Remove(c);
  Refresh();
  EXPECT_THAT(jobs_.order(), ElementsAre(a, a2, b));
  EXPECT_EQ(jobs_[b].id_rank, 2);
  EXPECT_EQ(jobs_.Find("ns", "c"), kNone);
  EXPECT_EQ(jobs_.Find("ns", "named"), kNone);
}

TEST_F(JobTableTest, ARefreshLooksAtWhatHasChanged) {
  const JobId a = Put("ns", "a");
  Put("ns", "b");
  Refresh();
  EXPECT_THAT(Refresh(), ElementsAre());
  jobs_.AddTask(a, 3);
  EXPECT_THAT(Refresh(), ElementsAre(a));
}

TEST_F(JobTableTest, AChangeOfStatusIsCountedLoggedAndANewVersion) {
  const JobId a = Put("ns", "a");
  jobs_[a].pod_sets.emplace_back().counts.Add(TaskStatus::kPending, 1);
  log_.Start();
  const uint32_t before = jobs_.version(a);
  jobs_.CountStatus(a, 0, TaskStatus::kPending, TaskStatus::kRunning);
  EXPECT_EQ(jobs_[a].pod_sets[0].counts.Of(TaskStatus::kRunning), 1);
  EXPECT_EQ(jobs_[a].pod_sets[0].counts.Of(TaskStatus::kPending), 0);
  EXPECT_NE(jobs_.version(a), before);
  EXPECT_THAT(log_.moved(), ElementsAre(a));
}

}  // namespace
}  // namespace coppice::engine
