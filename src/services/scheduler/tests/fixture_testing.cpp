#include "services/scheduler/tests/fixture_testing.h"

#include <fmt/format.h>

#include "services/binder/controller.h"
#include "services/grouper/controller.h"

namespace coppice::services::scheduler {

std::shared_ptr<Service> SchedulerFixture::AddScheduler(Options options, bool with_binder) {
  grouper::AddToManager(*cluster.manager, {});
  if (with_binder) {
    EXPECT_TRUE(binder::AddToManager(*cluster.manager, {}));
  }
  auto added = AddToManager(*cluster.manager, std::move(options));
  EXPECT_TRUE(added) << added.error().message();
  return added ? *added : nullptr;
}

void SchedulerFixture::StartForTeam(Options options, bool with_binder) {
  cluster.AddPriorityClasses();
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("team", "root", -1);
  AddScheduler(std::move(options), with_binder);
  cluster.Start();
}

void SchedulerFixture::AddDeviceNode(const std::string& name, int gpus) {
  cluster.AddNode(name, 0);
  ASSERT_TRUE(cluster.client().Patch(
      api::kNodes, {"", name}, kube::PatchType::kMerge,
      Doc("status: {allocatable: {nvidia.com/gpu: null}, capacity: {nvidia.com/gpu: null}}"),
      {.subresource = "status"}));
  cluster.Create(api::kDeviceClasses, R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec: {extendedResourceName: nvidia.com/gpu, selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
)");
  json::Value slice = Doc(fmt::format(R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {{name: {0}-gpus}}
spec:
  driver: gpu.example.com
  nodeName: {0}
  pool: {{name: {0}, generation: 1, resourceSliceCount: 1}}
)",
                                      name));
  for (int i = 0; i < gpus; ++i) {
    slice.Mutable("spec").Mutable("devices").Append(
        json::Value::Object({{"name", "gpu-" + std::to_string(i)}}));
  }
  ASSERT_TRUE(cluster.client().Create(api::kResourceSlices, slice));
}

}  // namespace coppice::services::scheduler
