#include "server/model/autoscaler_versions.h"

#include <gtest/gtest.h>

#include "json/write.h"
#include "json/yaml/yaml.h"

namespace coppice::server {
namespace {

using json::Value;

Value Yaml(const char* text) { return *json::ParseYaml(text); }

const char* const kEverything = R"(
metadata: {name: full, annotations: {keep: me}}
spec:
  maxReplicas: 5
  behavior:
    scaleUp: {stabilizationWindowSeconds: 0, selectPolicy: Max, policies: [{type: Pods, value: 4, periodSeconds: 15}]}
    scaleDown: {selectPolicy: Max, policies: [{type: Percent, value: 100, periodSeconds: 15}]}
  metrics:
  - {type: Resource, resource: {name: memory, target: {type: AverageValue, averageValue: 1Gi}}}
  - {type: ContainerResource, containerResource: {name: cpu, container: main, target: {type: Utilization, averageUtilization: 44}}}
  - {type: Pods, pods: {metric: {name: rps, selector: {matchLabels: {a: b}}}, target: {type: AverageValue, averageValue: "100"}}}
  - {type: Object, object: {describedObject: {apiVersion: v1, kind: Service, name: s}, metric: {name: hits}, target: {type: Value, value: 2k}}}
  - {type: External, external: {metric: {name: queue, selector: {matchLabels: {q: x}}}, target: {type: AverageValue, averageValue: "30"}}}
  - {type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 55}}}
status:
  desiredReplicas: 4
  conditions: [{type: AbleToScale, status: "True", reason: Ready}]
  currentMetrics:
  - {type: Resource, resource: {name: cpu, current: {averageUtilization: 50, averageValue: 500m}}}
)";

TEST(AutoscalerVersions, WhatTheOldOneCannotSayIsAnnotated) {
  const Value old = AutoscalerToV1(Yaml(kEverything));
  EXPECT_EQ(json::Write(old["spec"]), R"({"maxReplicas":5,"targetCPUUtilizationPercentage":55})");
  EXPECT_EQ(json::Write(old["status"]),
            R"({"currentCPUUtilizationPercentage":50,"currentReplicas":0,"desiredReplicas":4})");
  const Value& annotations = old["metadata"]["annotations"];
  const std::string prefix = "autoscaling.alpha.kubernetes.io/";
  EXPECT_EQ(annotations["keep"].AsString(), "me");
  EXPECT_EQ(
      annotations[prefix + "metrics"].AsString(),
      R"([{"type":"Resource","resource":{"name":"memory","targetAverageValue":"1Gi"}},)"
      R"({"type":"ContainerResource","containerResource":{"name":"cpu","targetAverageUtilization":44,"container":"main"}},)"
      R"({"type":"Pods","pods":{"metricName":"rps","targetAverageValue":"100","selector":{"matchLabels":{"a":"b"}}}},)"
      R"({"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},"metricName":"hits","targetValue":"2k"}},)"
      R"({"type":"External","external":{"metricName":"queue","metricSelector":{"matchLabels":{"q":"x"}},"targetAverageValue":"30"}}])");
  EXPECT_EQ(
      annotations[prefix + "behavior"].AsString(),
      R"({"ScaleUp":{"StabilizationWindowSeconds":0,"SelectPolicy":"Max","Policies":[{"Type":"Pods","Value":4,"PeriodSeconds":15}],"Tolerance":null},)"
      R"("ScaleDown":{"StabilizationWindowSeconds":null,"SelectPolicy":"Max","Policies":[{"Type":"Percent","Value":100,"PeriodSeconds":15}],"Tolerance":null}})");
}

TEST(AutoscalerVersions, ThereAndBackIsTheSame) {
  const Value given = Yaml(kEverything);
  EXPECT_EQ(AutoscalerToV2(AutoscalerToV1(given)), given)
      << json::Write(AutoscalerToV2(AutoscalerToV1(given)));
}

TEST(AutoscalerVersions, AnnotationsThatAreNoneAreDropped) {
  const Value next = AutoscalerToV2(Yaml(R"(
metadata: {annotations: {autoscaling.alpha.kubernetes.io/metrics: "no json"}}
spec: {maxReplicas: 5, targetCPUUtilizationPercentage: 60}
)"));
  EXPECT_FALSE(next["metadata"].Has("annotations"));
  EXPECT_EQ(next["spec"]["metrics"].size(), 1u);
}

}  // namespace
}  // namespace coppice::server
