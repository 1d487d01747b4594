#include "operator/webhooks/authorizer.h"

#include <gtest/gtest.h>

#include "json/yaml/yaml.h"
#include "operator/webhooks/configurations.h"

namespace coppice::operators::webhooks {
namespace {

using Operation = ChildRequest::Operation;

class Authorizer : public ::testing::Test {
 protected:
  Authorizer() {
    config_.operator_user = "system:serviceaccount:grove:operator";
    config_.exempt_users = {"system:serviceaccount:ops:fixer"};
  }

  Decision Ask(Operation operation, const std::string& user, const std::string& kind = "Service",
               const std::string& labels = "app.kubernetes.io/part-of: app") {
    const auto find = [this](const std::string& ns,
                             const std::string& name) -> std::optional<json::Value> {
      if (ns != "team" || name != "app") return std::nullopt;
      return *json::ParseYaml("{metadata: {name: app, annotations: {" + annotations_ + "}}}");
    };
    const json::Value child =
        *json::ParseYaml("{metadata: {name: c, namespace: team, labels: {" + labels + "}}}");
    return Authorize(config_, find,
                     {.operation = operation, .kind = kind, .user = user, .object = child});
  }

  Config config_;
  std::string annotations_;
};

TEST_F(Authorizer, NobodyElseChangesChildren) {
  for (const Operation operation : {Operation::kCreate, Operation::kUpdate, Operation::kDelete}) {
    const Decision decision = Ask(operation, "alice", "PodClique");
    EXPECT_FALSE(decision.allowed);
    EXPECT_EQ(decision.reason, "PodClique c belongs to PodCliqueSet app; change that one instead");
  }
  EXPECT_FALSE(Ask(Operation::kUpdate, "alice", "Pod").allowed);
}

TEST_F(Authorizer, TheOperatorAndExemptUsersDo) {
  for (const Operation operation : {Operation::kCreate, Operation::kUpdate, Operation::kDelete}) {
    EXPECT_TRUE(Ask(operation, config_.operator_user).allowed);
    EXPECT_TRUE(Ask(operation, config_.exempt_users[0]).allowed);
  }
}

TEST_F(Authorizer, PodsAreDeletedAndConnectedToByWhoeverMay) {
  EXPECT_TRUE(Ask(Operation::kDelete, "alice", "Pod").allowed);
  EXPECT_TRUE(Ask(Operation::kConnect, "alice", "Pod").allowed);
}

TEST_F(Authorizer, ASetCanGiveItsChildrenUp) {
  annotations_ = "grove.io/disable-managed-resource-protection: 'true'";
  EXPECT_TRUE(Ask(Operation::kUpdate, "alice").allowed);
  annotations_ = "grove.io/disable-managed-resource-protection: 'false'";
  EXPECT_FALSE(Ask(Operation::kUpdate, "alice").allowed);
}

TEST_F(Authorizer, ChildrenOfNobodyAreFreeWithAWarning) {
  for (const char* labels : {"", "app.kubernetes.io/part-of: gone"}) {
    const Decision decision = Ask(Operation::kDelete, "alice", "Service", labels);
    EXPECT_TRUE(decision.allowed);
    EXPECT_EQ(decision.warning, "Service c is managed by no PodCliqueSet that exists");
  }
}

// Users and autoscalers scale through /scale.
TEST_F(Authorizer, SubresourcesAreNotIntercepted) {
  int rules = 0;
  for (const json::Value& configuration : MakeConfigurations({.ns = "grove"}, "", true)) {
    for (const json::Value& webhook : configuration["webhooks"].Items()) {
      for (const json::Value& rule : webhook["rules"].Items()) {
        ++rules;
        for (const json::Value& resource : rule["resources"].Items()) {
          EXPECT_EQ(resource.AsString().find_first_of("/*"), std::string_view::npos)
              << resource.AsString();
        }
      }
    }
  }
  EXPECT_GT(rules, 6);
}

}  // namespace
}  // namespace coppice::operators::webhooks
