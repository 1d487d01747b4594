#include "kube/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::kube {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Metrics, WritesPrometheusText) {
  const auto metrics = Metrics::Make();
  metrics->Describe("binds_total", "Pods bound.");
  metrics->Increment("binds_total", {{"queue", "a"}});
  metrics->Increment("binds_total", {{"queue", "a"}}, 2);
  metrics->Set("depth", {}, 7);
  const std::string text = metrics->Text();
  EXPECT_THAT(text, HasSubstr("# HELP binds_total Pods bound."));
  EXPECT_THAT(text, HasSubstr("# TYPE binds_total counter"));
  EXPECT_THAT(text, HasSubstr("binds_total{queue=\"a\"} 3"));
  EXPECT_THAT(text, HasSubstr("depth 7"));
}

TEST(Metrics, HistogramsUseTheDescribedBuckets) {
  const auto metrics = Metrics::Make();
  metrics->Describe("latency_seconds", "Latency.", {1, 10});
  metrics->Observe("latency_seconds", {}, 5);
  EXPECT_THAT(metrics->Text(), HasSubstr("latency_seconds_bucket{le=\"1\"} 0"));
  EXPECT_THAT(metrics->Text(), HasSubstr("latency_seconds_bucket{le=\"10\"} 1"));
}

TEST(Metrics, RemovesOneSeries) {
  const auto metrics = Metrics::Make();
  metrics->Set("share", {{"queue", "a"}}, 1);
  metrics->Set("share", {{"queue", "b"}}, 2);
  metrics->Remove("share", {{"queue", "a"}});
  metrics->Remove("share", {{"queue", "never"}});
  metrics->Remove("unknown", {});
  EXPECT_THAT(metrics->Text(), Not(HasSubstr("queue=\"a\"")));
  EXPECT_THAT(metrics->Text(), HasSubstr("share{queue=\"b\"} 2"));
}

TEST(Metrics, AnotherTypeOfTheSameNameIsIgnored) {
  const auto metrics = Metrics::Make();
  metrics->Increment("things");
  metrics->Set("things", {}, 9);
  EXPECT_THAT(metrics->Text(), HasSubstr("things 1"));
}

}  // namespace
}  // namespace coppice::kube
