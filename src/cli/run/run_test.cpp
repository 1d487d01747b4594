#include "cli/run/run.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/log.h"
#include "cli/run/processes_testing.h"

namespace coppice::cli {
namespace {

int Started(std::vector<std::string> what, std::vector<std::string> flags) {
  RunOptions options;
  options.what = std::move(what);
  options.flags = std::move(flags);
  return RunComponents(options);
}

TEST(RunTest, AScalingPodEndsAtOnce) { EXPECT_EQ(Started({"scalingpod"}, {}), 0); }

TEST(RunTest, AReservationNeedsToKnowItsPod) {
  unsetenv("POD_NAME");
  unsetenv("POD_NAMESPACE");
  EXPECT_NE(Started({"reservation"}, {}), 0);
  EXPECT_EQ(Started({"reservation"}, {"--print", "--simulated"}), 0);
}

TEST(RunTest, FlagsAreCheckedBeforeAnythingStarts) {
  EXPECT_EQ(Started({"binder"}, {"--dry-run", "--plugins={}"}), 0);
  EXPECT_NE(Started({"binder"}, {"--dry-run", "--plugins={"}), 0);
  EXPECT_NE(Started({"binder"}, {"--dry-run", "--knative-gang-schedule"}), 0);
  EXPECT_EQ(Started({"binder", "grouper"}, {"--dry-run", "--knative-gang-schedule=false"}), 0);
  EXPECT_NE(Started({"nobody"}, {"--dry-run"}), 0);
  EXPECT_EQ(Started({"backend", "kai", "volcano"}, {"--dry-run"}), 0);
  EXPECT_NE(Started({"backend", "kai", "nobody"}, {"--dry-run"}), 0);
}

TEST(RunTest, WhatStandsInForARealClusterIsNotRunAgainstOne) {
  for (const char* name : {"workloads", "all", "none"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(Started({name}, {"--dry-run"}), 1) << name;
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("there are nodes, operator, admission,"), std::string::npos) << said;
  }
}

TEST(RunTest, TheOperatorEndsWithGrovesExitCodes) {
  const TemporaryFolder folder;
  std::ofstream(folder / "wrong.yaml") << "controllers: {podClique: {concurrentSyncs: 0}}\n";
  std::ofstream(folder / "right.yaml") << "scheduler: {profiles: [{name: volcano}]}\n";
  std::ofstream(folder / "nobody.yaml") << "scheduler: {profiles: [{name: nobody}]}\n";
  EXPECT_EQ(Started({"operator"}, {"--dry-run", "--config", folder / "right.yaml"}), 0);
  EXPECT_EQ(Started({"operator"}, {"--dry-run", "--config", folder / "nobody.yaml"}), 5);
  EXPECT_EQ(Started({"operator"}, {"--no-such-flag"}), 1);
  EXPECT_EQ(Started({"operator"}, {"--config", folder / "wrong.yaml"}), 2);
  EXPECT_EQ(Started({"operator"}, {"--config", folder / "missing.yaml"}), 2);
  EXPECT_EQ(Started({"operator"}, {"--kubeconfig", folder / "missing"}), 4);
}

TEST(RunTest, WithMnnvlTheOperatorNeedsItsCrd) {
  const TemporaryFolder folder;
  Process server({"up", "--in-memory", "--listen", "127.0.0.1:0", "--write-kubeconfig",
                  folder / "kubeconfig", "--nodes", "0", "--components", "none"},
                 folder / "server.log");
  ASSERT_TRUE(server.WaitForLine("Kubernetes API at"));
  std::ofstream(folder / "mnnvl.yaml") << "network: {autoMNNVLEnabled: true}\n";
  testing::internal::CaptureStderr();
  EXPECT_EQ(Started({"operator"},
                    {"--kubeconfig", folder / "kubeconfig", "--config", folder / "mnnvl.yaml"}),
            7);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("MNNVL preflight check failed"),
            std::string::npos);
}

TEST(RunTest, EveryServiceLogsJsonWhenAsked) {
  for (const char* service : {"grouper", "podgroups", "queues", "binder", "admission",
                              "scaleadjuster", "platform", "scheduler"}) {
    const bool scheduler = std::string_view(service) == "scheduler";
    ASSERT_EQ(Started({service}, {"--dry-run", scheduler ? "--log-json" : "--zap-devel=false"}), 0);
    testing::internal::CaptureStderr();
    base::LogInfo("said");
    EXPECT_EQ(testing::internal::GetCapturedStderr().substr(0, 1), "{") << service;
    ASSERT_EQ(Started({service}, {"--dry-run"}), 0);
    testing::internal::CaptureStderr();
    base::LogInfo("said");
    EXPECT_NE(testing::internal::GetCapturedStderr().substr(0, 1), "{") << service;
  }
}

}  // namespace
}  // namespace coppice::cli
