#include "services/grouper/kinds/families.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/object.h"
#include "services/grouper/groups/default_grouper.h"
#include "services/grouper/groups/merge.h"
#include "services/grouper/groups/values.h"
#include "services/test_cluster_testing.h"

// Families and details that the recorded cases do not reach.
namespace coppice::services::grouper {
namespace {

using ::testing::HasSubstr;

// Finds what it was given.
class FakeLookup final : public Lookup {
 public:
  base::Result<json::Value> Get(std::string_view, std::string_view kind, std::string_view,
                                std::string_view name) override {
    for (const json::Value& object : objects) {
      if (kube::Kind(object) == kind && kube::Name(object) == name) return object;
    }
    return base::NotFound(fmt::format("{} {} not found", kind, name));
  }
  base::Result<std::vector<json::Value>> List(std::string_view, std::string_view kind,
                                              std::string_view, std::string_view) override {
    std::vector<json::Value> found;
    for (const json::Value& object : objects) {
      if (kube::Kind(object) == kind) found.push_back(object);
    }
    return found;
  }

  void Add(std::string_view yaml) { objects.push_back(Doc(yaml)); }
  std::vector<json::Value> objects;
};

class FamiliesTest : public ::testing::Test {
 protected:
  base::Result<Metadata> Run(Grouper grouper, std::string_view owner, std::string_view pod,
                             std::vector<json::Value> owners = {}) {
    return grouper({options, defaults, lookup}, {Doc(pod), Doc(owner), std::move(owners)});
  }

  Options options;
  TypeDefaults defaults;
  FakeLookup lookup;
};

constexpr const char* kPod = "{metadata: {name: p, namespace: ns, uid: pu}}";

TEST_F(FamiliesTest, CronJobGroupsByItsJob) {
  const char* cron =
      "{apiVersion: batch/v1, kind: CronJob, metadata: {name: c, uid: cu, labels: {of: cron}}}";
  EXPECT_FALSE(Run(GroupCronJob, cron, kPod));
  const char* pod =
      "{metadata: {name: p, namespace: ns, ownerReferences:"
      " [{apiVersion: batch/v1, kind: Job, name: c-1, uid: ju}]}}";
  EXPECT_FALSE(Run(GroupCronJob, cron, pod)) << "the Job is gone";
  lookup.Add(
      "{apiVersion: batch/v1, kind: Job, metadata: {name: c-1, uid: ju,"
      " labels: {kai.scheduler/queue: nightly}}}");
  const auto metadata = Run(GroupCronJob, cron, pod);
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->name, "pg-c-1-ju");
  EXPECT_EQ(metadata->owner.kind, "Job");
  EXPECT_EQ(metadata->queue, "nightly");
  EXPECT_FALSE(metadata->labels.contains("of"));
  EXPECT_EQ(metadata->annotations.at("kai.scheduler/top-owner-metadata"),
            "name: c-1\nuid: ju\ngroup: batch\nversion: v1\nkind: Job\n");
}

TEST_F(FamiliesTest, JobsSayWhyTheirMinimumIsNone) {
  const auto why = [&](std::string_view minimum) {
    return Run(GroupJob,
               fmt::format("{{apiVersion: batch/v1, kind: Job, metadata: {{name: j, uid: u, "
                           "annotations: {{kai.scheduler/batch-min-member: '{}'}}}}}}",
                           minimum),
               kPod)
        .error()
        .message();
  };
  EXPECT_EQ(why("two"),
            "invalid min-member annotation value: strconv.ParseInt: parsing \"two\": invalid "
            "syntax");
  EXPECT_EQ(why("4294967296"),
            "invalid min-member annotation value: strconv.ParseInt: parsing \"4294967296\": value "
            "out of range");
}

TEST_F(FamiliesTest, DistributedJobsWithoutPodsAreErrors) {
  const auto fails = [&](Grouper grouper, std::string_view spec) {
    return !Run(grouper, fmt::format("{{metadata: {{name: j, uid: u}}, spec: {{{}}}}}", spec),
                kPod);
  };
  EXPECT_TRUE(fails(GroupTensorFlow, "tfReplicaSpecs: {}"));
  EXPECT_TRUE(fails(GroupTensorFlow, "tfReplicaSpecs: {Worker: {replicas: -1}}"));
  EXPECT_TRUE(fails(GroupPyTorch, "runPolicy: {schedulingPolicy: {minAvailable: 2}}"));
  EXPECT_TRUE(fails(GroupPyTorch,
                    "runPolicy: {schedulingPolicy: {minAvailable: 2}}, pytorchReplicaSpecs: "
                    "{Master: {replicas: one}}"));
  EXPECT_TRUE(fails(GroupMpi,
                    "launcherCreationPolicy: WaitForWorkersReady, runPolicy: {schedulingPolicy: "
                    "{minAvailable: 2}}"));
  EXPECT_TRUE(fails(GroupRayCluster, "workerGroupSpecs: [{replicas: two}]"));
  EXPECT_TRUE(fails(GroupLeaderWorkerSet, "startupPolicy: '', leaderWorkerTemplate: {size: 2}"));
  EXPECT_TRUE(fails(GroupLeaderWorkerSet,
                    "leaderWorkerTemplate: {size: 2, subGroupPolicy: {subGroupSize: 0}}"));
  EXPECT_TRUE(fails(GroupLeaderWorkerSet,
                    "leaderWorkerTemplate: {size: 5, subGroupPolicy: {subGroupSize: 2}}"))
      << "a pod without index has no segment";
}

TEST_F(FamiliesTest, ARayGroupWithoutHostsAsksForNone) {
  const auto metadata = Run(GroupRayCluster,
                            "{metadata: {name: r, uid: u}, spec: {workerGroupSpecs:"
                            " [{groupName: w, replicas: 2, numOfHosts: 0}]}}",
                            kPod);
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->min_available, 1);
  ASSERT_EQ(metadata->sub_groups.size(), 2u);
  EXPECT_EQ(metadata->sub_groups[1].min_available, 0);
}

TEST_F(FamiliesTest, AnEmptySegmentSizeIsNone) {
  const auto metadata =
      Run(GroupPyTorch,
          "{metadata: {name: j, uid: u}, spec: {pytorchReplicaSpecs: {Worker: {replicas: 4,"
          " template: {metadata: {annotations: {kai.scheduler/segment-size: ''}}}}}}}",
          kPod);
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->sub_groups.size(), 1u);
}

TEST_F(FamiliesTest, SegmentsAreTenThousandAtMost) {
  const auto segments = [&](int workers) {
    return Run(
        GroupPyTorch,
        fmt::format("{{metadata: {{name: j, uid: u}}, spec: {{pytorchReplicaSpecs: {{Worker: "
                    "{{replicas: {}, template: {{metadata: {{annotations: "
                    "{{kai.scheduler/segment-size: '2'}}}}}}}}}}}}}}",
                    workers),
        "{metadata: {name: p, namespace: ns, uid: pu, labels: "
        "{training.kubeflow.org/replica-type: worker, training.kubeflow.org/replica-index: "
        "'0'}}}");
  };
  ASSERT_TRUE(segments(20000)) << segments(20000).error().message();
  EXPECT_EQ(segments(20000)->sub_groups.size(), 10001u);  // And their parent.
  ASSERT_FALSE(segments(20001));
  EXPECT_THAT(segments(20001).error().message(), HasSubstr("10001 segments, more than 10000"));
}

TEST_F(FamiliesTest, LegacyJobGroupIsKept) {
  lookup.Add("{kind: PodGroup, metadata: {name: pg-p-ju}}");
  const char* job =
      "{apiVersion: batch/v1, kind: Job, metadata: {name: j, uid: ju,"
      " annotations: {kai.scheduler/batch-min-member: '4'}}}";
  EXPECT_EQ(Run(GroupJob, job, kPod)->name, "pg-p-ju");
  EXPECT_EQ(Run(GroupJob, job, kPod)->min_available, 1);
  options.search_legacy_groups = false;
  EXPECT_EQ(Run(GroupJob, job, kPod)->name, "pg-j-ju");
  EXPECT_EQ(Run(GroupJob, job, kPod)->min_available, 4);
}

TEST_F(FamiliesTest, MpiLauncherCountsOnceItExists) {
  const char* job =
      "{metadata: {name: j, uid: u}, spec: {launcherCreationPolicy: WaitForWorkersReady,"
      " mpiReplicaSpecs: {Launcher: {replicas: 1}, Worker: {replicas: 4}}}}";
  EXPECT_EQ(Run(GroupMpi, job, kPod)->min_available, 4);
  lookup.Add("{kind: Pod, metadata: {name: launcher}}");
  EXPECT_EQ(Run(GroupMpi, job, kPod)->min_available, 5);
}

TEST_F(FamiliesTest, LeaderWorkerSetSegments) {
  const auto set = [](int size, const char* policy) {
    return fmt::format(
        "{{metadata: {{name: l, uid: u}}, spec: {{leaderWorkerTemplate: {{size: {}, subGroupPolicy:"
        " {{subGroupSize: 4, subGroupPolicyType: {}}}}}}}}}",
        size, policy);
  };
  const char* pod =
      "{metadata: {name: p, namespace: ns, labels: {leaderworkerset.sigs.k8s.io/worker-index: "
      "'1'}}}";
  const auto sizes = [](const Metadata& metadata) {
    std::string out;
    for (const SubGroup& group : metadata.sub_groups) {
      out += fmt::format("{}={} ", group.name,
                         group.min_sub_group ? -*group.min_sub_group : group.min_available);
    }
    return out;
  };
  EXPECT_EQ(sizes(*Run(GroupLeaderWorkerSet, set(9, "LeaderWorker"), pod)),
            "segment-0=-2 segment-1=4 leader=1 workers=4 ");
  EXPECT_EQ(sizes(*Run(GroupLeaderWorkerSet, set(5, "LeaderWorker"), pod)),
            "segment-0=-2 leader=1 workers=4 ")
      << "the leader is not counted among the workers";
  EXPECT_EQ(sizes(*Run(GroupLeaderWorkerSet, set(8, "LeaderWorker"), pod)),
            "segment-0=-2 segment-1=4 leader=1 workers=3 ");
  EXPECT_EQ(sizes(*Run(GroupLeaderWorkerSet, set(9, "LeaderExcluded"), pod)),
            "leader=1 segment-0=4 segment-1=4 ");
  EXPECT_FALSE(Run(GroupLeaderWorkerSet, set(8, "LeaderExcluded"), pod));
}

TEST_F(FamiliesTest, KnativeRevisionIsAGang) {
  const char* service = "{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s}}";
  const char* pod =
      "{metadata: {name: p, namespace: ns, uid: pu, labels: {serving.knative.dev/revision: r}}}";
  EXPECT_FALSE(Run(GroupKnative, service, kPod));
  lookup.Add(
      "{apiVersion: serving.knative.dev/v1, kind: Revision, metadata: {name: r, uid: ru,"
      " annotations: {autoscaling.knative.dev/min-scale: '3'}}}");
  const auto gang = Run(GroupKnative, service, pod);
  ASSERT_TRUE(gang) << gang.error().message();
  EXPECT_EQ(gang->name, "pg-r-ru");
  EXPECT_EQ(gang->min_available, 3);
  lookup.objects[0]
      .Mutable("metadata")
      .Mutable("annotations")
      .Set("autoscaling.knative.dev/min-scale", "0");
  EXPECT_EQ(Run(GroupKnative, service, pod)->min_available, 0);
  options.knative_gang_schedule = false;
  const auto single = Run(GroupKnative, service, pod);
  EXPECT_EQ(single->name, "pg-p-pu");
  EXPECT_EQ(single->owner.kind, "Pod");
  EXPECT_EQ(single->priority_class, "inference");
}

// What a PodGang lacks, or says of other namespaces, is an error rather than a guess.
TEST_F(FamiliesTest, PodGangsThatCannotBeRead) {
  const auto error = [&](const std::string& spec, const char* labels = "grove.io/podgang: g") {
    lookup.objects.clear();
    lookup.Add(
        fmt::format("{{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: "
                    "{{name: g, namespace: ns, uid: gu}}, spec: {{{}}}}}",
                    spec));
    const auto metadata =
        Run(GroupGrove, "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}}",
            fmt::format("{{metadata: {{name: p, namespace: ns, labels: {{{}}}}}}}", labels));
    return metadata ? std::string() : metadata.error().message();
  };
  const auto leaf = [](const char* fields) { return fmt::format("podgroups: [{{{}}}]", fields); };
  EXPECT_EQ(error(leaf("name: w, minReplicas: 1, podReferences: []")), "");
  EXPECT_THAT(error("", ""), HasSubstr("lacks the label grove.io/podgang"));
  EXPECT_THAT(error("", "grove.io/podgang: other"), HasSubstr("PodGang other not found"));
  EXPECT_THAT(error(leaf("minReplicas: 1, podReferences: []")), HasSubstr("has no name"));
  EXPECT_THAT(error(leaf("name: w, podReferences: []")), HasSubstr("w.minReplicas"));
  EXPECT_THAT(error(leaf("name: w, minReplicas: 0, podReferences: []")), HasSubstr("not positive"));
  EXPECT_THAT(error(leaf("name: w, minReplicas: 1")), HasSubstr("w.podReferences is missing"));
  EXPECT_THAT(error(leaf("name: w, minReplicas: 1, podReferences: [{namespace: away, name: q}]")),
              HasSubstr("refers to pods of namespace away"));
  EXPECT_THAT(error(leaf("name: w, minReplicas: 1, podReferences: [], topologyConstraint: "
                         "{packConstraint: {required: rack}}")),
              HasSubstr("names no topology"));
  EXPECT_THAT(error("topologyConstraintGroupConfigs: [{podGroupNames: [w]}]"),
              HasSubstr("group config of the PodGang has no name"));
  EXPECT_EQ(error("topologyConstraintGroupConfigs: [{name: c, podGroupNames: []}]"), "");
}

TEST_F(FamiliesTest, PodGangBecomesATree) {
  lookup.Add(R"(
apiVersion: scheduler.grove.io/v1alpha1
kind: PodGang
metadata: {name: g, namespace: ns, uid: gu, annotations: {grove.io/topology-name: t}}
spec:
  topologyConstraint: {packConstraint: {required: zone}}
  topologyConstraintGroupConfigs: [{name: sg, podGroupNames: [w], topologyConstraint: {packConstraint: {preferred: rack}}}]
  podgroups:
  - {name: l, minReplicas: 1, podReferences: [{namespace: ns, name: p}]}
  - {name: w, minReplicas: 2, podReferences: [{namespace: ns, name: q}]}
)");
  const char* set = "{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: s}}";
  const auto metadata =
      Run(GroupGrove, set, "{metadata: {name: p, namespace: ns, labels: {grove.io/podgang: g}}}");
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->name, "pg-g-gu");
  EXPECT_EQ(metadata->min_available, 3);
  EXPECT_EQ(metadata->topology.required_level, "zone");
  ASSERT_EQ(metadata->sub_groups.size(), 3);
  EXPECT_EQ(metadata->sub_groups[0].topology->preferred_level, "rack");
  EXPECT_EQ(metadata->sub_groups[2].parent, "sg");
  EXPECT_EQ(metadata->SubGroupOfPod("p")->name, "l");
}

TEST_F(FamiliesTest, EveryKindOfTheTableHasItsGrouper) {
  const std::tuple<const char*, const char*, Grouper> kinds[] = {
      {"v1", "Pod", GroupPod},
      {"batch/v1", "Job", GroupJob},
      {"batch/v1", "CronJob", GroupCronJob},
      {"apps/v1", "Deployment", GroupDeployment},
      {"apps/v1", "ReplicaSet", GroupByDefault},
      {"apps/v1", "StatefulSet", GroupByDefault},
      {"kubeflow.org/v1", "TFJob", GroupTensorFlow},
      {"kubeflow.org/v2beta1", "MPIJob", GroupMpi},
      {"kubeflow.org/v1beta1", "Notebook", GroupNotebook},
      {"kubeflow.org/v1alpha1", "ScheduledWorkflow", GroupByDefault},
      {"trainer.kubeflow.org/v1alpha1", "TrainJob", GroupWithoutTopOwner},
      {"ray.io/v1alpha1", "RayService", GroupRayService},
      {"machinelearning.seldon.io/v1alpha2", "SeldonDeployment", GroupByDefault},
      {"kubevirt.io/v1", "VirtualMachineInstance", GroupByDefault},
      {"workspace.devfile.io/v1alpha2", "DevWorkspace", GroupByDefault},
      {"tekton.dev/v1", "TaskRun", GroupByDefault},
      {"tekton.dev/v1", "PipelineRun", GroupByDefault},
      {"argoproj.io/v1alpha1", "Workflow", GroupWithoutTopOwner},
      {"run.ai/v2alpha1", "TrainingWorkload", GroupWithoutTopOwner},
      {"run.ai/v1", "RunaiJob", GroupRunaiJob},
      {"nvidia.com/v1beta1", "DynamoGraphDeployment", GroupWithoutTopOwner},
      {"amlarc.azureml.com/v1alpha1", "AmlJob", GroupAmlJob},
      {"egx.nvidia.io/v1", "SPOTRequest", GroupSpotRequest},
      {"grove.io/v1alpha1", "PodGangSet", GroupGrove},
      {"kubeflow.org/v1", "PaddleJob", nullptr},
      {"batch/v2", "Job", nullptr},
  };
  for (const auto& [version, kind, grouper] : kinds) {
    EXPECT_EQ(FindGrouper(version, kind), grouper) << version << " " << kind;
  }
}

TEST_F(FamiliesTest, ATrainJobIsGroupedAsItsJobSet) {
  const json::Value train =
      Doc("{apiVersion: trainer.kubeflow.org/v1alpha1, kind: TrainJob,"
          " metadata: {name: t, uid: tu, labels: {kai.scheduler/queue: q}}}");
  const char* jobset = R"({apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet,
    metadata: {name: js, uid: ju, namespace: default}, spec: {replicatedJobs: [{name: node,
    template: {spec: {parallelism: 2}}}]}})";
  lookup.Add(jobset);
  json::Value pod = Doc(kPod);
  pod.Mutable("metadata")
      .Set("labels",
           Doc("{jobset.sigs.k8s.io/replicatedjob-name: node, jobset.sigs.k8s.io/job-index: '0'}"));
  const auto metadata =
      GroupWithoutTopOwner({options, defaults, lookup}, {pod, train, {Doc(jobset), train}});
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->name, "pg-js-ju");
  EXPECT_EQ(metadata->queue, "q");
  EXPECT_EQ(metadata->sub_groups.size(), 2);
}

TEST_F(FamiliesTest, SkippedOwnerHandsItsLabelsDown) {
  const json::Value workflow =
      Doc("{apiVersion: argoproj.io/v1alpha1, kind: Workflow,"
          " metadata: {name: w, uid: wu, labels: {kai.scheduler/queue: q}}}");
  const auto metadata =
      GroupWithoutTopOwner({options, defaults, lookup}, {Doc(kPod), workflow, {workflow}});
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->queue, "q");
  EXPECT_EQ(metadata->name, "pg-p-pu");
}

TEST_F(FamiliesTest, KubeflowJobsNeedTheirRolesOrAMinimum) {
  const auto minimum = [&](Grouper grouper, std::string_view spec) -> std::string {
    const auto metadata =
        Run(grouper, fmt::format("{{metadata: {{name: o, uid: u}}, spec: {{{}}}}}", spec), kPod);
    return metadata ? std::to_string(metadata->min_available) : metadata.error().message();
  };
  EXPECT_EQ(minimum(GroupTensorFlow, "tfReplicaSpecs: {PS: {replicas: 2}, Worker: {replicas: 3}}"),
            "5");
  EXPECT_EQ(minimum(GroupXgBoost,
                    "runPolicy: {schedulingPolicy: {minAvailable: 2}},"
                    " xgbReplicaSpecs: {Master: {replicas: 1}, Worker: {replicas: 3}}"),
            "2");
  EXPECT_EQ(minimum(GroupXgBoost, "xgbReplicaSpecs: {Worker: {replicas: 3}}"),
            "spec.xgbReplicaSpecs.Master is missing");
  EXPECT_EQ(minimum(GroupJax, "jaxReplicaSpecs: {Worker: {replicas: 0}}"),
            "spec.jaxReplicaSpecs.Worker.replicas is zero");
  EXPECT_EQ(minimum(GroupJax, ""), "spec.jaxReplicaSpecs is missing");
}

// What the pods of a revision have been grouped as before, they stay.
TEST_F(FamiliesTest, KnativeRevisionsKeepTheirWay) {
  const char* service = "{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s}}";
  const char* pod =
      "{metadata: {name: p, namespace: ns, uid: pu, labels: {serving.knative.dev/revision: r}}}";
  const auto grouped = [&](std::vector<std::string> others, std::string_view owner = "") {
    lookup.objects.clear();
    lookup.Add("{kind: Revision, metadata: {name: r, uid: ru}}");
    for (const std::string& group : others) {
      lookup.Add(
          fmt::format("{{kind: Pod, metadata: {{annotations: {{pod-group-name: {}}}}}}}", group));
    }
    if (!owner.empty()) {
      lookup.Add(fmt::format(
          "{{kind: PodGroup, metadata: {{name: a, ownerReferences: [{{kind: {}}}]}}}}", owner));
    }
    const auto metadata = Run(GroupKnative, service, pod);
    return metadata ? metadata->owner.kind : "error";
  };
  EXPECT_EQ(grouped({}), "Revision");
  EXPECT_EQ(grouped({"a", "a"}), "Revision");
  EXPECT_EQ(grouped({"a", "b"}), "Pod");
  EXPECT_EQ(grouped({"a"}), "Revision");  // Its group is gone.
  EXPECT_EQ(grouped({"a"}, "Revision"), "Revision");
  EXPECT_EQ(grouped({"a"}, "Pod"), "Pod");
  EXPECT_EQ(grouped({"a"}, "Job"), "error");
}

TEST_F(FamiliesTest, PriorityClassMustExist) {
  const char* owner = "{metadata: {name: o, uid: u, labels: {priorityClassName: gold}}}";
  EXPECT_EQ(Run(GroupByDefault, owner, kPod)->priority_class, "train");
  lookup.Add("{kind: PriorityClass, metadata: {name: gold}}");
  EXPECT_EQ(Run(GroupByDefault, owner, kPod)->priority_class, "gold");
}

TEST_F(FamiliesTest, AMissingPriorityClassFallsThroughToTheDefaultsOfItsKind) {
  const char* owner =
      "{apiVersion: x.io/v1, kind: Thing, metadata: {name: o, uid: u,"
      " labels: {priorityClassName: gone}}}";
  defaults = TypeDefaults::Parse(R"([{"typeName":"Thing","priorityName":"silver"}])");
  EXPECT_EQ(Run(GroupByDefault, owner, kPod)->priority_class, "train");
  lookup.Add("{kind: PriorityClass, metadata: {name: silver}}");
  EXPECT_EQ(Run(GroupByDefault, owner, kPod)->priority_class, "silver");
}

TEST_F(FamiliesTest, DefaultsOfKindAndGroupComeBeforeThoseOfTheKind) {
  for (const char* name : {"any", "special"}) {
    lookup.Add(fmt::format("{{kind: PriorityClass, metadata: {{name: {}}}}}", name));
  }
  defaults = TypeDefaults::Parse(
      R"([{"typeName":"Thing","priorityName":"any"},
          {"typeName":"Thing","group":"x.io","priorityName":"special"}])");
  const auto priority = [&](const char* version) {
    return Run(GroupByDefault,
               fmt::format("{{apiVersion: {}, kind: Thing, metadata: {{name: o, uid: u}}}}",
                           version),
               kPod)
        ->priority_class;
  };
  EXPECT_EQ(priority("x.io/v1"), "special");
  EXPECT_EQ(priority("y.io/v1"), "any");
}

TEST_F(FamiliesTest, DefaultsByKind) {
  lookup.Add("{kind: PriorityClass, metadata: {name: silver}}");
  defaults = TypeDefaults::Parse(
      R"([{"typeName":"Thing","group":"x.io","priorityName":"silver","preemptibility":"Non-Preemptible"}])");
  const auto metadata =
      Run(GroupByDefault, "{apiVersion: x.io/v1, kind: Thing, metadata: {name: o, uid: u}}", kPod);
  EXPECT_EQ(metadata->priority_class, "silver");
  EXPECT_EQ(metadata->preemptibility, "non-preemptible");
  defaults = TypeDefaults::Parse("not json");
  EXPECT_EQ(Run(GroupByDefault, "{apiVersion: x.io/v1, kind: Thing}", kPod)->priority_class,
            "train");
}

TEST_F(FamiliesTest, DelaysAreGoDurations) {
  const auto delay = [&](std::string_view text) {
    return Run(GroupByDefault,
               fmt::format("{{metadata: {{name: o, annotations: {{kai.scheduler/preemption-delay: "
                           "'{}'}}}}}}",
                           text),
               kPod)
        ->preemption_delay;
  };
  EXPECT_EQ(delay("1h30m"), "1h30m0s");
  EXPECT_EQ(delay("5"), std::nullopt);
  EXPECT_EQ(delay("2d"), std::nullopt);
  EXPECT_EQ(delay("-5s"), std::nullopt);
}

TEST(YamlStringTest, QuotesWhatWouldReadAsSomethingElse) {
  for (const char* text :
       {"1", "1.5", "1e3", "true", "no", "null", "~", "0x1f", "2020-01-01", ".5"}) {
    EXPECT_EQ(YamlString(text), fmt::format("\"{}\"", text));
  }
  for (const char* text : {"a", "a-1", "1234-5678", "my.job", "v1"})
    EXPECT_EQ(YamlString(text), text);
  EXPECT_EQ(YamlString(""), "\"\"");
  EXPECT_EQ(YamlString("a: b"), "'a: b'");
}

TEST(MergeTest, KeepsWhatOthersOwn) {
  const json::Value stored =
      Doc("{metadata: {labels: {kai.scheduler/queue: old, extra: x}, ownerReferences: [{name: o}]},"
          " spec: {queue: old, minMember: 1, schedulingBackoff: 1, topologyConstraint: {topology: "
          "t}}}");
  const json::Value computed = Doc(
      "{metadata: {labels: {kai.scheduler/queue: new, kai.scheduler/node-pool: np},"
      " ownerReferences: [{name: o}]}, spec: {queue: new, minMember: 1, topologyConstraint: {}}}");
  EXPECT_FALSE(MergePodGroup({}, stored, computed)) << "nothing of ours has changed";
  json::Value grown = computed;
  grown.Mutable("spec").Set("minMember", 3);
  const auto merged = MergePodGroup({}, stored, grown);
  ASSERT_TRUE(merged);
  EXPECT_EQ((*merged)["spec"], Doc("{queue: old, minMember: 3, schedulingBackoff: 1,"
                                   " topologyConstraint: {topology: t}}"));
  EXPECT_EQ((*merged)["metadata"]["labels"], Doc("{kai.scheduler/queue: old, extra: x}"));
}

}  // namespace
}  // namespace coppice::services::grouper
