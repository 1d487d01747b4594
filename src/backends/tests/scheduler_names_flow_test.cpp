// A scheduler that runs under another name, which the profile lists: its gangs are handed over like
// those of the first, and pods keep the name that this scheduler watches.
#include <gtest/gtest.h>

#include "backends/framework/registry.h"
#include "backends/tests/example_testing.h"
#include "kube/object.h"

namespace coppice::backends {
namespace {

using json::Value;

struct Renamed {
  std::string profile;
  std::string project;
};

class OtherName : public testing::TestWithParam<Renamed> {
 protected:
  // A world whose profile is named `name`, with additional fields and configuration.
  std::unique_ptr<World> WorldOf(const std::string& name, const std::string& more,
                                 const std::string& config) {
    auto world = std::make_unique<World>(World::Options{
        .projects = {"grove", GetParam().project},
        .config = "{scheduler: {defaultProfileName: " + name + ", profiles: [{name: " + name +
                  more + ", config: {topology: {requiredGang: PodAffinity}" + config + "}}]}}"});
    if (GetParam().project == "volcano") OpenQueue(*world, "team-a");
    return world;
  }

  void ExpectToBeServed(World& world) {
    Example example(world, "nightly");
    example.CreatePods();
    EXPECT_EQ(example.Synced(), "True Synced");
    for (const Value& pod : world.List(api::kPods)) {
      EXPECT_EQ(pod["spec"]["schedulerName"].AsString(), "nightly") << kube::Name(pod);
    }
    EXPECT_GE(example.Release(), 6);
  }
};

TEST_P(OtherName, IsServedWhenTheProfileListsIt) {
  const auto world = WorldOf(GetParam().profile, "", ", schedulerNames: [nightly]");
  ExpectToBeServed(*world);
}

TEST_P(OtherName, IsServedWhenTheProfileIsCalledSo) {
  const std::string id(FindBuiltIn(GetParam().profile)->id);
  const auto world = WorldOf("nightly", ", backend: " + id, "");
  ExpectToBeServed(*world);
}

INSTANTIATE_TEST_SUITE_P(
    Backends, OtherName,
    testing::Values(Renamed{"kai-scheduler", "kai"}, Renamed{"koord-scheduler", "koordinator"},
                    Renamed{"volcano", "volcano"},
                    Renamed{"scheduler-plugins-scheduler", "scheduler-plugins"},
                    Renamed{"yunikorn", "kai"}, Renamed{"grove-scheduler", "kai"},
                    Renamed{"default-scheduler", "kai"}),
    [](const testing::TestParamInfo<Renamed>& each) {
      std::string name = each.param.profile;
      std::erase(name, '-');
      return name;
    });

}  // namespace
}  // namespace coppice::backends
