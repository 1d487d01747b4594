#include "api/view/view.h"

#include <gtest/gtest.h>

#include <vector>

#include "api/edit/core.h"
#include "api/edit/kai.h"
#include "api/view/any.h"
#include "api/view/core.h"
#include "api/view/grove.h"
#include "api/view/kai.h"
#include "json/write.h"
#include "json/yaml/yaml.h"

namespace coppice {
namespace {

using json::Value;

TEST(View, ReadsFieldsByTheirNames) {
  const Value object = *json::ParseYaml(R"(
metadata: {name: a, namespace: ns, labels: {app: web, tier: front}}
spec:
  nodeName: n1
  priority: 7
  hostNetwork: true
  containers:
  - {name: main, image: i, resources: {limits: {cpu: "2"}}, command: [run, fast]}
  - {name: side}
)");
  const view::core::Pod pod(object);
  EXPECT_TRUE(pod);
  EXPECT_EQ(pod.metadata().name(), "a");
  EXPECT_EQ(pod.metadata().namespace_(), "ns");
  EXPECT_EQ(pod.spec().nodeName(), "n1");
  EXPECT_EQ(pod.spec().priority(), 7);
  EXPECT_TRUE(pod.spec().hostNetwork());
  std::vector<std::string_view> names;
  for (const view::core::Container container : pod.spec().containers()) {
    names.push_back(container.name());
  }
  EXPECT_EQ(names, (std::vector<std::string_view>{"main", "side"}));
  const view::core::Container main = pod.spec().containers().At(0);
  EXPECT_EQ(main.command().size(), 2u);
  EXPECT_EQ(main.command().At(1), "fast");
  EXPECT_EQ(main.resources().limits()["cpu"].AsString(), "2");
  EXPECT_EQ(pod.metadata().labels()["app"], "web");
  EXPECT_EQ(pod.metadata().labels().size(), 2u);
  for (const auto [key, value] : pod.metadata().labels()) EXPECT_EQ(value.empty(), key.empty());
}

TEST(View, WhatIsMissingOrOfAnotherTypeReadsAsNothing) {
  const Value object = *json::ParseYaml("{spec: {containers: {a: b}, nodeName: 3, priority: x}}");
  const view::core::Pod pod(object);
  EXPECT_FALSE(pod.metadata());
  EXPECT_EQ(pod.metadata().name(), "");
  EXPECT_FALSE(pod.metadata().labels().Has("app"));
  EXPECT_EQ(pod.metadata().labels()["app"], "");
  EXPECT_TRUE(pod.spec().containers().empty());
  EXPECT_EQ(pod.spec().containers().begin(), pod.spec().containers().end());
  EXPECT_EQ(pod.spec().containers().At(3).name(), "");
  EXPECT_EQ(pod.spec().nodeName(), "");
  EXPECT_TRUE(pod.spec().has_nodeName());
  EXPECT_EQ(pod.spec().priority(5), 5);
  EXPECT_FALSE(pod.spec().has_tolerations());
}

TEST(View, ScalarsTakeAFallbackForWhatIsMissing) {
  const Value object = *json::ParseYaml("{spec: {nodeName: 3, schedulerName: \"\"}}");
  const view::core::PodSpec spec = view::core::Pod(object).spec();
  EXPECT_EQ(spec.hostname("h"), "h");
  EXPECT_EQ(spec.nodeName("n"), "n");
  EXPECT_EQ(spec.schedulerName("s"), "");  // It is there.
  EXPECT_EQ(spec.priority(7), 7);
  EXPECT_TRUE(spec.hostNetwork(true));
}

TEST(View, ObjectsOfAnyKindHaveMetadataAndConditions) {
  const Value object = *json::ParseYaml(
      "{kind: Thing, metadata: {name: a}, status: {conditions: [{type: Ready, status: 'True'}]}}");
  const view::any::Object any(object);
  EXPECT_EQ(any.kind(), "Thing");
  EXPECT_EQ(any.metadata().name(), "a");
  EXPECT_EQ(any.status().conditions().At(0).type(), "Ready");
}

TEST(View, OurKindsComeFromTheirStructs) {
  const Value gang = *json::ParseYaml(
      "{spec: {podgroups: [{name: w, minReplicas: 2, podReferences: [{namespace: ns, name: p}], "
      "topologyConstraint: {packConstraint: {required: rack}}}]}}");
  const auto group = view::grove::PodGang(gang).spec().podgroups().At(0);
  EXPECT_EQ(group.minReplicas(), 2);
  EXPECT_EQ(group.podReferences().At(0).namespace_(), "ns");
  EXPECT_EQ(group.topologyConstraint().packConstraint().required(), "rack");
  const Value set = *json::ParseYaml(
      "{spec: {template: {cliques: [{spec: {podSpec: {schedulerName: kai-scheduler}}}]}}}");
  const auto clique = view::grove::PodCliqueSet(set).spec().template_().cliques().At(0);
  EXPECT_EQ(clique.spec().podSpec().schedulerName(), "kai-scheduler");
}

TEST(Edit, WritesFieldsByTheirNames) {
  Value object;
  const edit::core::Pod pod(object);
  pod.metadata().set_name("a").set_namespace_("ns");
  pod.metadata().labels().Set("app", "web");
  pod.spec().set_nodeName("n1").set_priority(3).set_hostNetwork(true);
  pod.spec().add_tolerations().set_key("gpu").set_operator_("Exists");
  pod.spec().add_tolerations().set_key("spot");
  pod.spec().tolerations().At(1).set_effect("NoSchedule");
  pod.spec().clear_priority();
  EXPECT_EQ(json::Write(object),
            R"({"metadata":{"labels":{"app":"web"},"name":"a","namespace":"ns"},)"
            R"("spec":{"hostNetwork":true,"nodeName":"n1","tolerations":[)"
            R"({"key":"gpu","operator":"Exists"},{"effect":"NoSchedule","key":"spot"}]}})");
  EXPECT_EQ(view::core::Pod(object), view::core::Pod(object));
}

TEST(Edit, AWriteDoesNotShowInCopies) {
  Value object = *json::ParseYaml("{spec: {queue: a}}");
  const Value before = object;
  edit::kai::PodGroup(object).spec().set_queue("b").set_minMember(2);
  EXPECT_EQ(view::kai::PodGroup(before).spec().queue(), "a");
  EXPECT_EQ(view::kai::PodGroup(object).spec().queue(), "b");
}

}  // namespace
}  // namespace coppice
