#include "operator/runtime/config_file.h"

#include <gtest/gtest.h>

#include "json/yaml/yaml.h"

namespace coppice::operators {
namespace {

base::Result<Config> ReadYaml(const std::string& yaml) {
  return ReadConfig(*json::ParseYaml(yaml));
}

TEST(ConfigFile, ReadsWhatTheControllersUse) {
  const auto config = ReadYaml(R"(
apiVersion: operator.config.grove.io/v1alpha1
kind: OperatorConfiguration
controllers: {podCliqueSet: {concurrentSyncs: 7}}
topologyAwareScheduling: {enabled: true}
network: {autoMNNVLEnabled: true}
authorizer: {enabled: true, exemptServiceAccountUserNames: [a, b]}
scheduler: {profiles: [{name: kai-scheduler}], defaultProfileName: kai-scheduler}
compatibility: grove
logLevel: debug
logFormat: json
somethingNew: 1
)");
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(config->set_workers, 7);
  EXPECT_TRUE(config->topology_aware_scheduling);
  EXPECT_TRUE(config->auto_mnnvl);
  EXPECT_TRUE(config->authorizer);
  EXPECT_EQ(config->exempt_users, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(config->backends.policy, &backends::CompatibilityPolicy::Grove());
  EXPECT_EQ(config->log_level, base::LogLevel::kDebug);
  EXPECT_EQ(config->json_log, true);
}

TEST(ConfigFile, LeavesTheLogToFlagsWhereItSaysNothing) {
  const auto config = ReadYaml("{}");
  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->log_level, std::nullopt);
  EXPECT_EQ(config->json_log, std::nullopt);
}

TEST(ConfigFile, NamesEveryWrongField) {
  for (const auto& [yaml, field] : std::map<std::string, std::string>{
           {"{controllers: {podClique: {concurrentSyncs: 0}}}",
            "controllers.podClique.concurrentSyncs"},
           {"{logLevel: loud}", "logLevel"},
           {"{server: {webhooks: {certProvisionMode: never}}}",
            "server.webhooks.certProvisionMode"},
           {"{leaderElection: {enabled: true, leaseDuration: 5s}}", "leaderElection.leaseDuration"},
           {"{scheduler: 5}", "scheduler: Invalid value: 5: must be a mapping"},
           {"{scheduler: {profiles: {name: kai-scheduler}}}", "scheduler.profiles"},
           {"{scheduler: {profiles: [{name: kai-scheduler, enabled: maybe}]}}",
            "scheduler.profiles[0].enabled: must be true or false"},
           {"{topologyAwareScheduling: {enabled: 'true'}}", "topologyAwareScheduling.enabled"},
           {"[scheduler]", "must be a mapping"},
           {"{runtimeClientConnection: {burst: -1}}", "runtimeClientConnection.burst"}}) {
    const auto config = ReadYaml(yaml);
    ASSERT_FALSE(config.ok()) << yaml;
    EXPECT_NE(config.error().message().find(field), std::string::npos) << config.error().message();
  }
}

TEST(ConfigFile, FieldsThatNobodyKnowsAreTakenAndNamed) {
  const json::Value document = *json::ParseYaml(
      "{schduler: {}, scheduler: {profiles: [{name: volcano, confg: {}}], pluggins: []}, "
      "authorizer: {reconcilerServiceAccountUserName: a}}");
  EXPECT_TRUE(ReadConfig(document));
  EXPECT_EQ(UnknownFields(document), (std::vector<std::string>{"schduler", "scheduler.pluggins",
                                                               "scheduler.profiles[0].confg"}));
}

TEST(ConfigFile, PortsArePorts) {
  for (const char* port : {"99999", "x", "-1"}) {
    const auto read =
        ReadConfig(*json::ParseYaml(std::string("{server: {webhooks: {port: ") + port + "}}}"));
    ASSERT_FALSE(read) << port;
    EXPECT_NE(read.error().message().find("server.webhooks.port"), std::string::npos);
  }
}

}  // namespace
}  // namespace coppice::operators
