#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "http/server/server.h"
#include "kube/client/faulty_client.h"
#include "kube/object.h"
#include "services/common/prometheus_duration.h"
#include "services/scheduler/usage/prometheus_usage.h"
#include "services/scheduler/usage/usage_archive.h"
#include "services/scheduler/usage/usage_feed.h"
#include "services/scheduler/usage/usage_history.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::scheduler {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

base::Time At(std::string_view text) { return *base::ParseRfc3339(text); }

UsageConfig Config(std::string_view yaml) {
  const auto config = ReadUsageConfig(Doc(yaml));
  EXPECT_TRUE(config) << config.error().message();
  return config.value_or(UsageConfig());
}

TEST(PrometheusDurationTest, ReadsEveryUnit) {
  EXPECT_EQ(ParsePrometheusDuration("1w2d"), base::Duration(hours(24 * 9)));
  EXPECT_EQ(ParsePrometheusDuration("1h30m"), base::Duration(minutes(90)));
  EXPECT_EQ(ParsePrometheusDuration("5ms"), base::Duration(std::chrono::milliseconds(5)));
  EXPECT_EQ(ParsePrometheusDuration("0"), base::Duration());
  for (const char* bad : {"", "5", "1m1h", "1m1m", "-1h", "1x"}) {
    EXPECT_FALSE(ParsePrometheusDuration(bad)) << bad;
  }
}

TEST(UsageConfigTest, DefaultsAndErrors) {
  const UsageConfig config = Config("{clientType: prometheus, connectionString: 'http://p'}");
  EXPECT_EQ(config.window_size, hours(24 * 7));
  EXPECT_EQ(config.fetch_interval, minutes(1));
  EXPECT_EQ(config.staleness, minutes(5));
  EXPECT_EQ(config.allocation_metrics.at("gpu"), "kai_queue_allocated_gpus");
  EXPECT_EQ(config.capacity_metrics.at("gpu"),
            "sum(kube_node_status_capacity{resource=\"nvidia_com_gpu\"})");
  EXPECT_EQ(Config("{clientType: embedded, usageParams: {fetchInterval: 10m}}").staleness,
            minutes(10));
  const auto error = [](std::string_view yaml) {
    return ReadUsageConfig(Doc(yaml)).error().message();
  };
  EXPECT_THAT(error("{clientType: influx}"), HasSubstr("clientType"));
  EXPECT_THAT(error("{clientType: prometheus}"), HasSubstr("connectionString"));
  EXPECT_THAT(error("{clientType: embedded, usageParams: {windowType: cron, cronString: x}}"),
              HasSubstr("cronString"));
  EXPECT_THAT(error("{clientType: embedded, usageParams: {windowType: tumbling}}"),
              HasSubstr("tumblingWindowStartTime"));
}

TEST(UsageQueryTest, SlidingWindow) {
  UsageConfig config = Config("{clientType: prometheus, connectionString: 'http://p'}");
  const base::Time now = base::Time(seconds(1000));
  EXPECT_EQ(*UsageQuery(config, "m", now), "sum_over_time((m)[1w:1m])");
  config.half_life = minutes(10);
  EXPECT_EQ(*UsageQuery(config, "m", now),
            "sum_over_time((((m) * (0.5^((1000 - time()) / 600))))[1w:1m])");
}

TEST(UsageQueryTest, WindowsThatBeginAtOnce) {
  const UsageConfig tumbling = Config(
      "{clientType: prometheus, connectionString: 'http://p', usageParams: {windowType: tumbling,"
      " windowSize: 1d, tumblingWindowStartTime: '2026-03-01T06:00:00Z'}}");
  EXPECT_EQ(*WindowStart(tumbling, At("2026-03-18T05:00:00Z")), At("2026-03-17T06:00:00Z"));
  EXPECT_EQ(*UsageQuery(tumbling, "m", At("2026-03-18T07:00:00Z")), "sum_over_time((m)[3600s:1m])");
  const UsageConfig cron = Config(
      "{clientType: prometheus, connectionString: 'http://p', usageParams: {windowType: cron,"
      " cronString: '0 0 * * 1'}}");
  EXPECT_EQ(*WindowStart(cron, At("2026-03-18T05:00:00Z")), At("2026-03-16T00:00:00Z"));
}

TEST(PrometheusUsageTest, DividesByCapacity) {
  const UsageConfig config = Config("{clientType: prometheus, connectionString: 'http://p'}");
  std::vector<std::string> asked;
  auto source = MakePrometheusUsage(config, [&](const std::string& query, base::Time) {
    asked.push_back(query);
    const bool capacity = query.find("kube_node") != query.npos;
    return base::Result<json::Value>(
        capacity ? Doc("{resultType: vector, result: [{metric: {}, value: [1, '200']}]}")
                 : Doc("{resultType: vector, result: [{metric: {queue_name: a}, value: [1, '50']},"
                       " {metric: {queue_name: b}, value: [1, '10']}]}"));
  });
  const auto usage = source->Fetch(base::Time(seconds(100)));
  ASSERT_TRUE(usage) << usage.error().message();
  EXPECT_DOUBLE_EQ(usage->at("a").gpu, 0.25);
  EXPECT_DOUBLE_EQ(usage->at("b").cpu, 0.05);
  EXPECT_EQ(asked.size(), 6);
}

// Speaks Prometheus' query API.
class PrometheusServer final : public http::Handler {
 public:
  void Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) override {
    std::lock_guard lock(mutex);
    asked.push_back(request.path + "?" + request.raw_query);
    const bool capacity = request.raw_query.find("kube_node") != std::string::npos;
    std::string body = R"({"status":"success","data":{"resultType":"vector","result":[)";
    body += capacity ? R"({"metric":{},"value":[1000,"80"]})"
                     : R"({"metric":{"queue_name":"a"},"value":[1000,"20"]})";
    if (down) body = R"({"status":"error","errorType":"bad_data","error":"no such metric)";
    writer->Send(http::Response::Make(down ? 400 : 200, "application/json",
                                      body + (down ? R"("})" : "]}}")));
  }
  std::mutex mutex;  // Guards what follows.
  std::vector<std::string> asked;
  bool down = false;
};

TEST(PrometheusUsageTest, AsksOverHttp) {
  PrometheusServer prometheus;
  const auto server = *http::Server::Start({.address = "127.0.0.1"}, prometheus);
  const UsageConfig config =
      Config(fmt::format("{{clientType: prometheus, connectionString: '{}', usageParams: "
                         "{{windowSize: 1h, halfLifePeriod: 10m}}}}",
                         server->Url()));
  const auto source = MakePrometheusUsage(config, *ConnectPrometheus(config));
  const auto usage = source->Fetch(base::Time(seconds(1000)));
  ASSERT_TRUE(usage) << usage.error().message();
  EXPECT_DOUBLE_EQ(usage->at("a").gpu, 0.25);
  {
    std::lock_guard lock(prometheus.mutex);
    EXPECT_THAT(prometheus.asked, ::testing::Each(HasSubstr("/api/v1/query?query=sum_over_time")));
    EXPECT_THAT(prometheus.asked, ::testing::Each(HasSubstr("&time=1000")));
    EXPECT_THAT(prometheus.asked,
                ::testing::Contains(HasSubstr("kai_queue_allocated_gpus%29%20%2A%20%280.5%5E")));
    prometheus.down = true;
  }
  const auto refused = source->Fetch(base::Time(seconds(1060)));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("no such metric"));
  server->Stop(std::chrono::milliseconds(100));
  EXPECT_FALSE(source->Fetch(base::Time(seconds(1120)))) << "nobody answers";
}

TEST(PrometheusUsageTest, NoCapacityFailsTheFetch) {
  const UsageConfig config = Config("{clientType: prometheus, connectionString: 'http://p'}");
  const auto answer = [&](std::string_view data) {
    return MakePrometheusUsage(config,
                               [data = std::string(data)](const std::string&, base::Time) {
                                 return base::Result<json::Value>(Doc(data));
                               })
        ->Fetch(base::Time());
  };
  EXPECT_FALSE(answer("{resultType: vector, result: []}"));
  EXPECT_FALSE(answer("{resultType: matrix, result: []}"));
  EXPECT_FALSE(answer("{resultType: vector, result: [{metric: {}, value: [1, 'NaN']}]}"));
}

TEST(UsageHistoryTest, WeighsByAge) {
  UsageHistory history(Config(
      "{clientType: fake-with-history, usageParams: {windowSize: 10s, halfLifePeriod: 1s}}"));
  const base::Time start = base::Time(seconds(100));
  history.Record({start, {{"a", {.gpu = 4}}}, {.gpu = 8}});
  history.Record({start + seconds(1), {{"b", {.gpu = 8}}}, {.gpu = 8}});
  const auto usage = history.Fetch(start + seconds(1));
  ASSERT_TRUE(usage);
  EXPECT_DOUBLE_EQ(usage->at("a").gpu, 0.5 * 4 / (0.5 * 8 + 8));
  EXPECT_DOUBLE_EQ(usage->at("b").gpu, 8 / (0.5 * 8 + 8));
}

TEST(UsageHistoryTest, KeepsOneWindow) {
  UsageHistory history(Config("{clientType: fake-with-history, usageParams: {windowSize: 10s}}"));
  for (int i = 0; i < 100; ++i) {
    history.Record({base::Time(seconds(100 + i)), {{"a", {.gpu = 1}}}, {.gpu = 2}});
  }
  EXPECT_LE(history.size(), 11);
  EXPECT_DOUBLE_EQ(history.Fetch(base::Time(seconds(199)))->at("a").gpu, 0.5);
  EXPECT_TRUE(history.Fetch(base::Time(seconds(500)))->empty());
}

UsageHistory::Sample SampleAt(int second, double gpus) {
  return {base::Time(seconds(second)), {{"a", {.gpu = gpus}}, {"idle", {}}}, {.gpu = 8}};
}

TEST(UsageArchiveTest, ThinningKeepsTheSums) {
  std::vector<UsageHistory::Sample> samples;
  for (int i = 0; i < 10; ++i) samples.push_back(SampleAt(100 + i, i % 2));
  const auto thinned = ReadSamples(WriteSamples(samples, 3));
  ASSERT_TRUE(thinned) << thinned.error().message();
  ASSERT_EQ(thinned->size(), 3u);
  UsageHistory::Amounts used, capacity;
  for (const UsageHistory::Sample& sample : *thinned) {
    EXPECT_FALSE(sample.queues.contains("idle"));
    used.gpu += sample.queues.at("a").gpu;
    capacity.gpu += sample.capacity.gpu;
  }
  EXPECT_DOUBLE_EQ(used.gpu, 5);
  EXPECT_DOUBLE_EQ(capacity.gpu, 80);
  EXPECT_EQ(thinned->back().time, samples.back().time);
}

TEST(UsageArchiveTest, AnotherProcessGoesOnWhereTheFirstOneStopped) {
  TestCluster cluster;
  const UsageConfig config = Config("{clientType: embedded, usageParams: {windowSize: 1h}}");
  const api::ObjectKey key{"default", "kai-scheduler-usage"};
  const base::Time now = cluster.stepper.Now();
  {
    const auto history = std::make_shared<UsageHistory>(config);
    UsageArchive archive(cluster.manager->runtime(), key, history);
    archive.Start();
    history->Record({now, {{"a", {.gpu = 4}}}, {.gpu = 8}});
    cluster.Settle(minutes(6));
  }
  const auto history = std::make_shared<UsageHistory>(config);
  UsageArchive archive(cluster.manager->runtime(), key, history);
  archive.Start();
  EXPECT_DOUBLE_EQ(history->Fetch(now + minutes(6))->at("a").gpu, 0.5);
  const std::string version(kube::ResourceVersion(cluster.Get(api::kConfigMaps, key.name)));
  cluster.Settle(minutes(11));
  EXPECT_NE(kube::ResourceVersion(cluster.Get(api::kConfigMaps, key.name)), "");
  EXPECT_EQ(kube::ResourceVersion(cluster.Get(api::kConfigMaps, key.name)), version)
      << "nothing new, nothing is written";
}

// One question that goes unanswered at the start must not cost all that was kept.
TEST(UsageArchiveTest, WhatWasKeptIsAskedForUntilItIsThere) {
  TestCluster cluster;
  cluster.Create(api::kConfigMaps,
                 "{apiVersion: v1, kind: ConfigMap, metadata: {name: u, namespace: default}, data: "
                 "{history.json: '[{\"time\": 1767225600, \"capacity\": [0, 0, 8000], \"queues\": "
                 "{\"a\": [0, 0, 4000]}}]'}}");
  kube::FaultyClient server(cluster.client(), cluster.stepper, {.error = 1}, 1);
  const auto manager = kube::Manager::Make(server, cluster.stepper);
  const auto history = std::make_shared<UsageHistory>(Config("{clientType: embedded}"));
  UsageArchive archive(manager->runtime(), {"default", "u"}, history);
  archive.Start();
  cluster.Settle(minutes(10));
  EXPECT_FALSE(archive.loaded());
  server.SetFaults({});
  cluster.Settle();
  EXPECT_TRUE(archive.loaded());
  EXPECT_EQ(history->size(), 1u);
}

TEST(UsageArchiveTest, AHistoryThatCannotBeReadIsLeftBehind) {
  TestCluster cluster;
  cluster.Create(api::kConfigMaps,
                 "{apiVersion: v1, kind: ConfigMap, metadata: {name: u, namespace: default}, data: "
                 "{history.json: '[{}]'}}");
  const auto history = std::make_shared<UsageHistory>(Config("{clientType: embedded}"));
  UsageArchive archive(cluster.manager->runtime(), {"default", "u"}, history);
  archive.Start();
  EXPECT_EQ(history->size(), 0u);
  EXPECT_FALSE(ReadSamples(Doc("{a: b}")));
}

class FlakySource final : public UsageSource {
 public:
  base::Result<Usage> Fetch(base::Time) override {
    ++calls;
    if (fails) return base::Unavailable("down");
    return Usage{{"a", {.gpu = 0.5}}};
  }
  bool fails = true;
  int calls = 0;
};

TEST(UsageFeedTest, WaitsForTheFirstAnswerAndGoesOn) {
  TestCluster cluster;
  auto source = std::make_shared<FlakySource>();
  UsageFeed feed(cluster.manager->runtime(), Config("{clientType: embedded}"), source, "h");
  feed.Start();
  cluster.Settle(seconds(10));
  EXPECT_FALSE(feed.Ready());
  EXPECT_FALSE(feed.TakeNew());
  cluster.Settle(seconds(55));
  EXPECT_TRUE(feed.Ready());  // Waited long enough.
  source->fails = false;
  cluster.Settle(minutes(2));
  const auto usage = feed.TakeNew();
  ASSERT_TRUE(usage);
  EXPECT_DOUBLE_EQ(usage->at("a").gpu, 0.5);
  EXPECT_FALSE(feed.TakeNew());
  EXPECT_GE(source->calls, 3);
}

}  // namespace
}  // namespace coppice::services::scheduler
