#include "services/reservation/reservation.h"

#include <gtest/gtest.h>

#include "api/well_known.h"
#include "kube/object.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::reservation {
namespace {

std::string Reported(TestCluster& cluster) {
  return std::string(
      kube::Annotation(cluster.Get(api::kPods, "p"), "run.ai/reserve_for_gpu_index"));
}

TEST(ReservationTest, ReportsItsOnlyGpuOnce) {
  TestCluster cluster;
  cluster.AddPod("p", "q", 1);
  int asked = 0;
  const ListGpus list = [&]() -> base::Result<std::vector<Gpu>> {
    return std::vector{SimulatedGpu(std::to_string(++asked))};
  };
  ASSERT_TRUE(ReportGpu(cluster.client(), {"default", "p"}, list));
  const std::string id = Reported(cluster);
  EXPECT_EQ(id, SimulatedGpu("1").uuid);
  ASSERT_TRUE(ReportGpu(cluster.client(), {"default", "p"}, list));
  EXPECT_EQ(Reported(cluster), id);
  EXPECT_EQ(asked, 1) << "a restart does not ask again";
}

TEST(ReservationTest, RefusesToGuess) {
  TestCluster cluster;
  cluster.AddPod("p", "q", 1);
  for (const size_t count : {size_t{0}, size_t{2}}) {
    const base::Status status = ReportGpu(
        cluster.client(), {"default", "p"},
        [&]() -> base::Result<std::vector<Gpu>> { return std::vector(count, SimulatedGpu("x")); });
    EXPECT_FALSE(status) << count;
  }
  EXPECT_EQ(Reported(cluster), "");
}

TEST(ReservationTest, ListsAsNvidiaSmiDoes) {
  EXPECT_EQ(Describe({3, "NVIDIA H200", "GPU-1"}), "GPU 3: NVIDIA H200 (UUID: GPU-1)");
}

// Where there is no driver this must be an answer, not a crash.
TEST(ReservationTest, MissingLibraryIsAnError) {
  const auto gpus = ListNvidiaGpus();
  if (!gpus) {
    EXPECT_NE(gpus.error().message(), "");
  }
}

}  // namespace
}  // namespace coppice::services::reservation
