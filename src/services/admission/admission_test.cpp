#include "services/admission/admission.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "base/base64.h"
#include "json/parse.h"
#include "services/admission/webhook.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::admission {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;

class AdmissionTest : public ::testing::Test {
 protected:
  Admission Make(Options options) { return Admission(cluster.client(), std::move(options), 7); }

  static json::Value Pod(std::string_view annotations,
                         std::string_view container = "{name: main}") {
    return Doc(fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: p, namespace: default, annotations: {{{}}}}}
spec: {{schedulerName: kai-scheduler, containers: [{}]}}
)",
                           annotations, container));
  }

  static Request PodRequest(json::Value pod) {
    return {Operation::kCreate, api::kPods, "default", std::move(pod), {}};
  }

  std::string Refusal(const Options& options, const json::Value& pod) {
    Admission admission = Make(options);
    const Verdict verdict = admission.Validate(PodRequest(pod));
    return verdict.status ? "" : verdict.status.error().message();
  }

  json::Value Mutated(const Options& options, const json::Value& pod) {
    Admission admission = Make(options);
    Request request = PodRequest(pod);
    const base::Status status = admission.Mutate(request);
    EXPECT_TRUE(status) << status.error().message();
    return request.object;
  }

  TestCluster cluster;
  Options sharing{.gpu_sharing_enabled = true};
};

TEST_F(AdmissionTest, FractionNeedsSharing) {
  EXPECT_THAT(Refusal({}, Pod("gpu-fraction: '0.5'")),
              MatchesRegex("attempting to create a pod .*/p with gpu sharing request, while GPU "
                           "sharing is disabled"));
  EXPECT_EQ(Refusal(sharing, Pod("gpu-fraction: '0.5'")), "");
}

TEST_F(AdmissionTest, FractionIsANumberBetweenZeroAndOne) {
  for (const char* good : {"0.5", "5e-1", "0.000001", "+.5"}) {
    EXPECT_EQ(Refusal(sharing, Pod(fmt::format("gpu-fraction: '{}'", good))), "") << good;
  }
  for (const char* bad : {"1", "0", "-0.5", "inf", "half", "", "0.5Gi", "0x1"}) {
    EXPECT_EQ(Refusal(sharing, Pod(fmt::format("gpu-fraction: '{}'", bad))),
              "gpu-fraction annotation value must be a positive number smaller than 1.0")
        << bad;
  }
  for (const char* strange : {"NaN", "0x1p-2"}) {
    EXPECT_EQ(Refusal(sharing, Pod(fmt::format("gpu-fraction: '{}'", strange))),
              fmt::format("gpu-fraction annotation value must be a float written with a decimal "
                          "point or a scientific notation .given value: {}",
                          strange));
  }
}

TEST_F(AdmissionTest, RequestsThatContradictEachOther) {
  const char* gpu = "{name: main, resources: {limits: {nvidia.com/gpu: '1'}}}";
  EXPECT_THAT(Refusal(sharing, Pod("gpu-fraction: '0.5'", gpu)), HasSubstr("cannot have both"));
  EXPECT_THAT(Refusal(sharing, Pod("gpu-memory: '10'", gpu)), HasSubstr("GPU and GPU memory"));
  EXPECT_THAT(Refusal(sharing, Pod("gpu-fraction-num-devices: '2'")), HasSubstr("multiple"));
  EXPECT_THAT(Refusal(sharing, Pod("mps: 'true'")), HasSubstr("MPS"));
  EXPECT_THAT(Refusal(sharing, Pod("gpu-memory: '1.5'")), HasSubstr("gpu-memory annotation"));
  // Nobody could read it later, and the pod would run without a GPU.
  EXPECT_THAT(Refusal(sharing, Pod("gpu-memory: '9223372036854775808'")),
              HasSubstr("gpu-memory annotation"));
}

TEST_F(AdmissionTest, HamiLimitIsReadFromTheSameMap) {
  Options hami = sharing;
  hami.hami_core_enabled = true;
  const json::Value pod = Mutated(hami, Pod("gpu-memory: '2000'"));
  const json::Value& env = pod["spec"]["containers"].At(0)["env"];
  const json::Value& limit = env.At(env.size() - 1);
  EXPECT_EQ(limit["name"].AsString(), "CUDA_DEVICE_MEMORY_LIMIT");
  const json::Value& source = limit["valueFrom"]["configMapKeyRef"];
  EXPECT_EQ(source["name"].ToString(),
            pod["metadata"]["annotations"]["runai/shared-gpu-configmap"].ToString() + "-0");
  EXPECT_TRUE(source["optional"].AsBool());
  EXPECT_EQ(Mutated(hami, pod), pod);  // Once is enough.
}

TEST_F(AdmissionTest, RuntimeClassOfSharingPodsAlone) {
  const auto runtime = [&](const json::Value& pod) {
    return Mutated(sharing, pod)["spec"]["runtimeClassName"].ToString();
  };
  EXPECT_EQ(runtime(Pod("gpu-fraction: '0.5'")), "nvidia");
  EXPECT_EQ(runtime(Pod("")), "");
  EXPECT_EQ(runtime(Pod("", "{name: c, resources: {limits: {nvidia.com/gpu: '1'}}}")), "");
  json::Value own = Pod("gpu-fraction: '0.5'");
  own.Mutable("spec").Set("runtimeClassName", "mine");
  EXPECT_EQ(runtime(own), "mine");
}

TEST_F(AdmissionTest, SharingContainerReadsItsDevicesFromConfigMaps) {
  const json::Value pod = Mutated(sharing, Pod("gpu-fraction: '0.5'"));
  const std::string prefix =
      pod["metadata"]["annotations"]["runai/shared-gpu-configmap"].ToString();
  EXPECT_THAT(prefix, ::testing::MatchesRegex("p-[bcdfghjklmnpqrstvwxz2456789]{7}-shared-gpu"));
  const json::Value& container = pod["spec"]["containers"].At(0);
  EXPECT_EQ(container["env"].size(), 3);
  EXPECT_EQ(container["env"].At(0)["valueFrom"]["configMapKeyRef"]["name"].AsString(),
            prefix + "-0");
  EXPECT_EQ(container["envFrom"].At(0)["configMapRef"]["name"].AsString(), prefix + "-0-evar");
  EXPECT_EQ(pod["spec"]["volumes"].At(0)["name"].AsString(), prefix + "-0-vol");
  EXPECT_EQ(pod["spec"]["runtimeClassName"].AsString(), "nvidia");
  EXPECT_EQ(Mutated(sharing, pod), pod) << "doing it again changes nothing";
}

TEST_F(AdmissionTest, AnInitContainerMayBeTheOneThatShares) {
  json::Value pod = Pod("gpu-fraction: '0.5', gpu-fraction-container-name: warm");
  pod.Mutable("spec").Set("initContainers", Doc("[{name: first}, {name: warm}]"));
  const json::Value mutated = Mutated(sharing, pod);
  const std::string prefix =
      mutated["metadata"]["annotations"]["runai/shared-gpu-configmap"].ToString();
  const json::Value& warm = mutated["spec"]["initContainers"].At(1);
  EXPECT_EQ(warm["envFrom"].At(0)["configMapRef"]["name"].AsString(), prefix + "-i1-evar");
  EXPECT_FALSE(mutated["spec"]["initContainers"].At(0).Has("envFrom"));
  EXPECT_FALSE(mutated["spec"]["containers"].At(0).Has("envFrom"));
}

TEST_F(AdmissionTest, LongNamesLeaveRoomForSuffixes) {
  json::Value pod = Pod("gpu-fraction: '0.5'");
  pod.Mutable("metadata").Set("name", std::string(60, 'a') + ".b");
  const json::Value mutated = Mutated(sharing, pod);
  EXPECT_LE(mutated["spec"]["volumes"].At(0)["name"].AsString().size(), 63);
}

TEST_F(AdmissionTest, OtherSchedulersPodsPass) {
  json::Value pod = Pod("gpu-fraction: half");
  pod.Mutable("spec").Set("schedulerName", "default-scheduler");
  EXPECT_EQ(Refusal({}, pod), "");
  EXPECT_EQ(Mutated(sharing, pod), pod);
}

TEST_F(AdmissionTest, VisibleDevicesAreBlocked) {
  const Options options{.gpu_sharing_enabled = true, .block_nvidia_visible_devices = true};
  const auto with = [](std::string_view value) {
    return Pod(
        "",
        fmt::format("{{name: main, env: [{{name: NVIDIA_VISIBLE_DEVICES, value: '{}'}}]}}", value));
  };
  for (const char* bad : {"0", "0,1", "all"}) {
    EXPECT_EQ(Refusal(options, with(bad)),
              fmt::format("container main has an environment variable NVIDIA_VISIBLE_DEVICES "
                          "defined with a value of {}. This is forbidden due to conflicts with "
                          "Nvidia's device plugin. The only values that are allowed are 'void' or "
                          "'none'",
                          bad));
  }
  EXPECT_EQ(Refusal(options, Pod("",
                                 "{name: main, env: [{name: NVIDIA_VISIBLE_DEVICES, "
                                 "valueFrom: {fieldRef: {fieldPath: metadata.name}}}]}")),
            "container main has an environment variable NVIDIA_VISIBLE_DEVICES defined with a "
            "valueFrom reference. This is forbidden due to possible conflicts with Nvidia's device "
            "plugin");
  for (const char* good : {"void", "none", ""}) EXPECT_EQ(Refusal(options, with(good)), "") << good;
  const json::Value hidden = Mutated(options, Pod(""));
  EXPECT_EQ(hidden["spec"]["containers"].At(0)["env"].At(0)["value"].AsString(), "void");
}

TEST_F(AdmissionTest, PlacementByNamespace) {
  cluster.AddQueue("q", "", 1);
  Options options;
  options.placement = {.enabled = true,
                       .rules = {{"team-*", "kai-scheduler", "q"}, {"*", "kai-scheduler", "gone"}}};
  json::Value pod = Doc("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: []}}");
  Admission admission = Make(options);
  Request request{Operation::kCreate, api::kPods, "team-a", pod, {}};
  ASSERT_TRUE(admission.Mutate(request));
  EXPECT_EQ(request.object["spec"]["schedulerName"].AsString(), "kai-scheduler");
  EXPECT_EQ(request.object["metadata"]["labels"]["kai.scheduler/queue"].AsString(), "q");
  EXPECT_TRUE(admission.Validate(request).status);
  Request other{Operation::kCreate, api::kPods, "else", pod, {}};
  ASSERT_TRUE(admission.Mutate(other));
  EXPECT_THAT(admission.Validate(other).status.error().message(), HasSubstr("does not exist"));
}

TEST_F(AdmissionTest, PodGroupTrees) {
  Admission admission = Make({});
  const auto verdict = [&](std::string_view spec, Operation operation = Operation::kCreate) {
    return admission.Validate(
        {operation, api::kPodGroups, "default", Doc(fmt::format("spec: {{{}}}", spec)), {}});
  };
  const auto refusal = [&](std::string_view spec) {
    const Verdict given = verdict(spec);
    return given.status ? "" : given.status.error().message();
  };
  EXPECT_EQ(refusal("minMember: 3, subGroups: [{name: a, minMember: 1}]"), "");
  EXPECT_EQ(refusal("minMember: 1, minSubGroup: 1"),
            "minMember and minSubGroup are mutually exclusive: set minMember (1) to schedule a "
            "fixed number of pods, or set minSubGroup to require a minimum number of child "
            "SubGroups, but not both");
  EXPECT_EQ(refusal("subGroups: [{name: a, minMember: 1}, {name: a, minMember: 1}]"),
            "duplicate subgroup name a");
  EXPECT_EQ(refusal("subGroups: [{name: a, parent: b, minMember: 1}]"),
            "parent b of a was not found");
  EXPECT_EQ(refusal("subGroups: [{name: a, parent: a, minMember: 1}]"),
            "cycle detected in subgroups");
  EXPECT_EQ(refusal("subGroups: [{name: a, minMember: 1, minSubGroup: 1}]"),
            "subgroup \"a\": minMember and minSubGroup are mutually exclusive");
  EXPECT_EQ(refusal("subGroups: [{name: a, minSubGroup: 0}, {name: b}]"),
            "subgroup \"a\": minSubGroup cannot be set on a leaf SubGroup (no child SubGroups)\n"
            "subgroup a: minMember is required\n"
            "subgroup b: minMember is required");
  // A walk up from each of them would take seconds.
  std::string chain = "subGroups: [{name: s0, minSubGroup: 1}";
  for (int i = 1; i < 8'000; ++i) {
    chain += fmt::format(", {{name: s{}, parent: s{}, minSubGroup: 1}}", i, i - 1);
  }
  EXPECT_EQ(refusal(chain + "]"), "subgroups must not be nested more than 64 deep");
  const char* inner = "subGroups: [{name: a, minMember: 1}, {name: b, parent: a, minMember: 1}]";
  const char* why =
      "subgroup \"a\": minMember cannot be set on a mid-level SubGroup (has child SubGroups); use "
      "minSubGroup instead";
  EXPECT_EQ(refusal(inner), why);
  EXPECT_TRUE(verdict(inner, Operation::kUpdate).status);
  EXPECT_THAT(verdict(inner, Operation::kUpdate).warnings, ElementsAre(why));
  const Verdict over = verdict("minSubGroup: 5, subGroups: [{name: a, minMember: 1}]");
  EXPECT_TRUE(over.status);
  EXPECT_THAT(over.warnings,
              ElementsAre("minSubGroup (5) exceeds the number of direct child SubGroups (1)"));
}

TEST_F(AdmissionTest, TopologyAliases) {
  Admission admission = Make({});
  const auto verdict = [&](std::string_view levels) {
    return admission.Validate({Operation::kCreate,
                               api::kTopologies,
                               "",
                               Doc(fmt::format("spec: {{levels: [{}]}}", levels)),
                               {}});
  };
  EXPECT_TRUE(verdict("{nodeLabel: a, alias: x}, {nodeLabel: b, alias: y}").status);
  EXPECT_FALSE(verdict("{nodeLabel: a, alias: x}, {nodeLabel: b, alias: x}").status);
  EXPECT_FALSE(verdict("{nodeLabel: a, alias: b}, {nodeLabel: b}").status);
}

TEST_F(AdmissionTest, QuotaWarnings) {
  cluster.AddQueue("root", "", 4);
  Admission admission = Make({.quota_validation = true});
  const auto verdict = [&](std::string_view spec) {
    return admission.Validate({Operation::kCreate,
                               api::kQueues,
                               "",
                               Doc(fmt::format("{{metadata: {{name: q}}, spec: {{{}}}}}", spec)),
                               {}});
  };
  EXPECT_FALSE(verdict("parentQueue: root").status);
  EXPECT_EQ(verdict("parentQueue: gone, resources: {}").status.error().message(),
            "failed to get parent queue gone: queues.scheduling.run.ai \"gone\" not found");
  const Verdict above =
      verdict("parentQueue: root, resources: {gpu: {quota: 5}, cpu: {quota: -1}}");
  EXPECT_TRUE(above.status);
  EXPECT_THAT(
      above.warnings,
      ElementsAre("child queue GPU quota (5.00) exceeds parent queue root GPU quota (4.00)",
                  "child queue Memory quota (0) exceeds parent queue root Memory quota (-1)"));
}

TEST_F(AdmissionTest, WebhookAnswersReviews) {
  Admission admission = Make(sharing);
  const auto review = [](const json::Value& pod) {
    return json::Value::Object({{"request", json::Value::Object({{"uid", "u"},
                                                                 {"operation", "CREATE"},
                                                                 {"namespace", "default"},
                                                                 {"object", pod}})}});
  };
  const auto mutated =
      AnswerReview(admission, "/mutate--v1-pod", review(Pod("gpu-fraction: '0.5'")));
  ASSERT_TRUE(mutated);
  EXPECT_TRUE((*mutated)["response"]["allowed"].AsBool());
  EXPECT_EQ((*mutated)["response"]["uid"].AsString(), "u");
  const auto patch = json::Parse(*base::Base64Decode((*mutated)["response"]["patch"].AsString()));
  ASSERT_TRUE(patch);
  EXPECT_EQ(patch->size(), 2);
  const auto refused =
      AnswerReview(admission, "/validate--v1-pod", review(Pod("gpu-fraction: half")));
  EXPECT_FALSE((*refused)["response"]["allowed"].AsBool());
  EXPECT_FALSE(AnswerReview(admission, "/other", review(Pod(""))).ok());
}

}  // namespace
}  // namespace coppice::services::admission
