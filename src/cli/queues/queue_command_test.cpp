#include "cli/queues/queue_command.h"

#include <gmock/gmock.h>

#include "cli/queues/hold_queue.h"
#include "cli/show/show_testing.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;

class QueueCommands : public ShowTest {
 protected:
  std::string Run(const QueueCommand& command) {
    const auto line = ChangeQueue(*client_, command);
    return line ? *line : line.error().message();
  }
  Value Queue(const std::string& name) { return *client_->Get(api::kQueues, {"", name}); }
};

TEST_F(QueueCommands, CreateAndSetTakeTheUnitsOfUsers) {
  EXPECT_EQ(Run({.verb = "create", .name = "top"}), "queue/top created");
  QueueCommand command{.verb = "create", .name = "team"};
  command.settings.parent = "top";
  command.settings.gpu.quota = "8";
  command.settings.cpu.limit = "64";
  command.settings.memory.quota = "1G";
  command.settings.priority = 200;
  EXPECT_EQ(Run(command), "queue/team created");
  const Value resources = Queue("team")["spec"]["resources"];
  EXPECT_EQ(resources["gpu"]["quota"].AsDouble(), 8);
  EXPECT_EQ(resources["gpu"]["limit"].AsDouble(), -1);
  EXPECT_EQ(resources["cpu"]["limit"].AsDouble(), 64000);
  EXPECT_EQ(resources["memory"]["quota"].AsDouble(), 1000);
  EXPECT_THAT(Run(command), HasSubstr("exists already; coppice queue set team changes it"));

  QueueCommand change{.verb = "set", .name = "team"};
  EXPECT_THAT(Run(change), HasSubstr("nothing to set"));
  change.settings.gpu.limit = "unlimited";
  change.settings.gpu.weight = 3;
  EXPECT_EQ(Run(change), "queue/team changed");
  EXPECT_EQ(Queue("team")["spec"]["resources"]["gpu"]["overQuotaWeight"].AsDouble(), 3);
  EXPECT_EQ(Queue("team")["spec"]["resources"]["gpu"]["quota"].AsDouble(), 8) << "stays";
}

TEST_F(QueueCommands, MistakesSayWhatToDo) {
  QueueCommand command{.verb = "create", .name = "team"};
  command.settings.gpu.quota = "many";
  EXPECT_EQ(Run(command), "--gpu-quota \"many\": use an amount such as 8 or 0.5, or unlimited");
  command.settings.gpu.quota = "8";
  command.settings.parent = "nobody";
  EXPECT_EQ(Run(command), "--parent: there is no queue called \"nobody\"; create it first");
  EXPECT_THAT(Run({.verb = "hold", .name = "nobody"}),
              HasSubstr("there is no queue called \"nobody\"; coppice queues lists them"));
}

TEST_F(QueueCommands, HoldTakesTheLimitsAndResumeGivesThemBack) {
  QueueCommand command{.verb = "create", .name = "team"};
  command.settings.gpu.limit = "6";
  ASSERT_EQ(Run(command), "queue/team created");
  EXPECT_THAT(Run({.verb = "hold", .name = "team"}), HasSubstr("is on hold: nothing new"));
  Value queue = Queue("team");
  EXPECT_TRUE(IsOnHold(queue));
  for (const char* resource : {"gpu", "cpu", "memory"}) {
    EXPECT_EQ(queue["spec"]["resources"][resource]["limit"].AsDouble(), 0) << resource;
  }
  EXPECT_THAT(Run({.verb = "hold", .name = "team"}), HasSubstr("already"));
  QueueCommand change{.verb = "set", .name = "team"};
  change.settings.gpu.limit = "4";
  EXPECT_THAT(Run(change), HasSubstr("coppice queue resume team first"));
  EXPECT_EQ(Run({.verb = "resume", .name = "team"}), "queue/team takes work again");
  queue = Queue("team");
  EXPECT_FALSE(IsOnHold(queue));
  EXPECT_EQ(queue["spec"]["resources"]["gpu"]["limit"].AsDouble(), 6);
  EXPECT_EQ(queue["spec"]["resources"]["cpu"]["limit"].AsDouble(), -1);
  EXPECT_EQ(Run({.verb = "resume", .name = "team"}), "queue/team is not on hold");
}

TEST_F(QueueCommands, AQueueInUseIsNotDeleted) {
  ASSERT_EQ(Run({.verb = "create", .name = "top"}), "queue/top created");
  QueueCommand child{.verb = "create", .name = "team"};
  child.settings.parent = "top";
  ASSERT_EQ(Run(child), "queue/team created");
  EXPECT_THAT(Run({.verb = "delete", .name = "top"}), HasSubstr("is the parent of team"));
  Put(api::kPodGroups, R"(
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {name: g, namespace: default}
spec: {queue: team, minMember: 1}
)");
  EXPECT_THAT(Run({.verb = "delete", .name = "team"}), HasSubstr("has 1 workload(s)"));
  EXPECT_EQ(Run({.verb = "delete", .name = "team", .force = true}), "queue/team deleted");
  EXPECT_EQ(Run({.verb = "delete", .name = "top"}), "queue/top deleted");
}

}  // namespace
}  // namespace coppice::cli
