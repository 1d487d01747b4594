#include <gtest/gtest.h>

#include <future>
#include <set>

#include "kube/client/intercepted_client.h"
#include "services/scheduler/tests/fixture_testing.h"

// A slow API server must not keep those waiting who ask the scheduler why something waits.
namespace coppice::services::scheduler {
namespace {

// Asks the scheduler while each call is under way. Without an answer the scheduler holds the
// engine's lock, and no call is made.
class AskingClient final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

  std::shared_ptr<Service> service;
  std::set<std::string> calls;  // "get pods".

 protected:
  base::Status Before(const kube::Call& call) override {
    if (!service) return {};
    const std::string name = std::string(ToString(call.verb)) + " " + call.What();
    calls.insert(name);
    // A thread that waits for the lock goes on once this call is over.
    asked_.push_back(std::async(std::launch::async, [this] { service->JobOrder(); }));
    const bool answered =
        asked_.back().wait_for(std::chrono::seconds(10)) == std::future_status::ready;
    EXPECT_TRUE(answered) << name;
    if (!answered) return base::Error(base::ErrorCode::kUnavailable, "nobody answers");
    asked_.clear();
    return {};
  }

 private:
  std::vector<std::future<void>> asked_;
};

class EngineLock : public SchedulerFixture {
 protected:
  void TearDown() override {
    client.service.reset();
    cluster.manager.reset();
  }

  AskingClient client{cluster.client()};
};

TEST_F(EngineLock, IsNeverHeldWhileTheApiIsCalled) {
  cluster.manager = kube::Manager::Make(client, cluster.stepper);
  cluster.AddPriorityClasses();
  cluster.AddQueue("root", "", -1);
  cluster.AddQueue("team", "root", -1);
  cluster.AddNode("n1", 1);
  client.service = AddScheduler({}, /*with_binder=*/false);
  cluster.Start();
  cluster.AddPod("first", "team", 1);
  cluster.Settle();
  // Whether it is bound all the same, only the API knows; then the request is in the way.
  ASSERT_TRUE(cluster.client().Patch(api::kBindRequests, {"default", "first"},
                                     kube::PatchType::kMerge, Doc("status: {phase: Failed}"),
                                     {.subresource = "status"}));
  cluster.Settle(std::chrono::seconds(20));
  EXPECT_TRUE(client.calls.contains("get pods"));
  EXPECT_TRUE(client.calls.contains("delete bindrequests.scheduling.run.ai"));
}

}  // namespace
}  // namespace coppice::services::scheduler
