#include "services/flags.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/own_image.h"
#include "services/flag_help.h"

namespace coppice::services {
namespace {

// Every flag of upstream's processes (docs/behaviour/services.md K-09, docs/behaviour/scheduler.md
// S-01), with its default.
struct Case {
  const char* component;
  std::vector<std::string> flags;
};

const std::vector<std::string> kCommon = {"--leader-elect",
                                          "--qps=50",
                                          "--burst=300",
                                          "--max-requests-in-flight=8",
                                          "--max-requests-per-second=0.5",
                                          "--zap-devel=true",
                                          "--zap-encoder=console",
                                          "--zap-log-level=info",
                                          "--zap-stacktrace-level=error",
                                          "--zap-time-encoding=iso8601",
                                          "--kubeconfig="};

const Case kCases[] = {
    {"grouper",
     {"--scheduler-name=kai-scheduler", "--queue-label-key=kai.scheduler/queue",
      "--nodepool-label-key=kai.scheduler/node-pool",
      "--pod-label-selector=", "--namespace-label-selector=", "--knative-gang-schedule=true",
      "--generic-karta-fallback=true", "--search-legacy-pg=true",
      "--default-priorities-configmap-name=", "--default-priorities-configmap-namespace=",
      "--max-concurrent-reconciles=10", "--metrics-bind-address=:8080",
      "--health-probe-bind-address=:8081"}},
    {"podgroups",
     {"--scheduler-name=kai-scheduler", "--max-concurrent-reconciles=10",
      "--enable-podgroup-webhook=true", "--log-level=3", "--skip-controller-name-validation=false",
      "--metrics-bind-address=:8080", "--health-probe-bind-address=:8081"}},
    {"queues",
     {"--metrics-listen-address=:8080", "--metrics-namespace=kai",
      "--queue-label-to-metric-label=a=b,c=d", "--queue-label-to-default-metric-value=a=0",
      "--enable-webhook=true", "--enable-quota-validation=false",
      "--skip-controller-name-validation"}},
    {"binder",
     {"--scheduler-name=kai-scheduler", "--resource-reservation-namespace=kai-resource-reservation",
      "--resource-reservation-service-account=kai-resource-reservation",
      "--resource-reservation-app-label=kai-resource-reservation",
      "--resource-reservation-pod-image=registry/local/kai-scheduler/resource-reservation",
      "--resource-reservation-allocation-timeout=40",
      "--resource-reservation-pod-resources={\"requests\":{\"cpu\":\"1m\"}}",
      "--resource-reservation-pod-security-context={}",
      "--resource-reservation-container-security-context={}", "--runtime-class-name=",
      "--scale-adjust-namespace=kai-scale-adjust", "--max-concurrent-reconciles=10",
      "--rate-limiter-base-delay=1", "--rate-limiter-max-delay=60",
      "--plugins={\"hamicore\":{\"enabled\":true}}", "--fake-gpu-nodes=false",
      "--metrics-bind-address=:8080", "--health-probe-bind-address=:8081", "--feature-gates="}},
    {"admission",
     {"--scheduler-name=kai-scheduler", "--webhook-addr=9443", "--gpu-sharing-enabled=false",
      "--hami-core-enabled=false", "--block-nvidia-visible-devices=false",
      "--gpu-fraction-runtime-class-name=nvidia", "--gpu-pod-runtime-class-name=nvidia",
      "--fake-gpu-nodes", "--rate-limiter-base-delay=1", "--rate-limiter-max-delay=60",
      "--feature-gates=", "--metrics-bind-address=:8080", "--health-probe-bind-address=:8081"}},
    {"scaleadjuster",
     {"--scaling-pod-image=i", "--scale-adjust-namespace=kai-scale-adjust",
      "--scheduler-name=kai-scheduler", "--scaling-pod-app-label=scaling-pod",
      "--scaling-pod-service-account=scaling-pod", "--gpu-memory-to-fraction-ratio=0.1"}},
    {"numaexporter",
     {"--node-name=n", "--podresources-socket=/var/lib/kubelet/pod-resources/kubelet.sock",
      "--sysfs-root=/sys", "--poll-interval=1s", "--drift-resync-interval=60s"}},
    {"platform",
     {"--namespace=kai", "--image-pull-secret=s", "--metrics-bind-address=:8080",
      "--health-probe-bind-address=:8081"}},
    {"scheduler",
     {"--scheduler-name=kai-scheduler",
      "--namespace=kai-scheduler",
      "--metrics-namespace=kai",
      "--resource-reservation-app-label=kai-resource-reservation",
      "--restrict-node-scheduling=false",
      "--nodepool-label-key=kai.scheduler/node-pool",
      "--partition-label-value=",
      "--queue-label-key=kai.scheduler/queue",
      "--scheduler-conf=",
      "--schedule-period=1s",
      "--version=true",
      "--listen-address=:8080",
      "--plugin-server-port=8081",
      "--enable-profiler=false",
      "--profiler-port=8182",
      "--pyroscope-address=",
      "--pyroscope-mutex-profiler-rate=5",
      "--pyroscope-block-profiler-rate=5",
      "--v=3",
      "--log-json=false",
      "--log-flush-frequency=5s",
      "--max-consolidation-preemptees=16",
      "--detailed-fit-errors=false",
      "--update-pod-eviction-condition=false",
      "--schedule-csi-storage=false",
      "--use-scheduling-signatures=true",
      "--full-hierarchy-fairness=true",
      "--allow-consolidating-reclaim=true",
      "--num-of-status-recording-workers=5",
      "--default-staleness-grace-period=60s",
      "--stuck-in-releasing-threshold=2m",
      "--cpu-worker-node-label-key=node-role.kubernetes.io/cpu-worker",
      "--gpu-worker-node-label-key=node-role.kubernetes.io/gpu-worker",
      "--mig-worker-node-label-key=node-role.kubernetes.io/mig-enabled",
      "--feature-gates="}},
};

TEST(ServiceFlagsTest, EveryFlagOfUpstreamIsTaken) {
  for (const Case& one : kCases) {
    for (const auto* list : {&one.flags, &kCommon}) {
      for (const std::string& flag : *list) {
        AllOptions options;
        const base::Status read = ReadFlags({one.component}, {flag}, options);
        EXPECT_TRUE(read) << one.component << ": " << (read ? "" : read.error().message());
      }
    }
    AllOptions options;
    EXPECT_FALSE(ReadFlags({one.component}, {"--no-such-flag"}, options)) << one.component;
  }
}

TEST(ServiceFlagsTest, DefaultsAreUpstreams) {
  const AllOptions options;
  EXPECT_EQ(options.process.qps, 50);
  EXPECT_EQ(options.process.burst, 300);
  EXPECT_EQ(options.process.max_requests_in_flight, 0) << "no cap unless one is asked for";
  EXPECT_EQ(options.process.max_requests_per_second, 0);
  EXPECT_EQ(options.binder.reservation_timeout, std::chrono::seconds(40));
  EXPECT_EQ(options.binder.workers, 10);
  EXPECT_EQ(options.grouper.workers, 10);
  EXPECT_EQ(options.admission.gpu_fraction_runtime_class_name, "nvidia");
  EXPECT_EQ(options.scheduler.schedule_period, std::chrono::seconds(1));
  EXPECT_EQ(options.scheduler.configuration.max_consolidation_preemptees, 16);
}

// Pods that our own components make run this program, by default.
TEST(ServiceFlagsTest, AnotherImageRunsItsOwnCommand) {
  const std::vector<std::string> ours = {"coppice", "run", "reservation"};
  const auto read = [](const std::vector<std::string>& flags) {
    AllOptions options;
    EXPECT_TRUE(ReadFlags({"binder", "scaleadjuster"}, flags, options));
    return options;
  };
  EXPECT_EQ(read({}).binder.reservation_command, ours);
  EXPECT_EQ(read({}).binder.reservation_image, base::kOwnImage);
  EXPECT_EQ(read({"--resource-reservation-pod-image=x"}).binder.reservation_command,
            std::vector<std::string>());
  for (const bool image_first : {false, true}) {
    std::vector<std::string> flags = {"--scaling-pod-command=a b", "--scaling-pod-image=x"};
    if (image_first) std::swap(flags[0], flags[1]);
    const AllOptions options = read(flags);
    EXPECT_EQ(options.scaleadjuster.scaling_pod_image, "x");
    EXPECT_EQ(options.scaleadjuster.scaling_pod_command, (std::vector<std::string>{"a", "b"}));
  }
}

// Examples rather than defaults in the table above; a deprecated name; images of ours; and
// addresses, which depend on where the process runs.
bool IsNoDefault(const std::string& flag) {
  static const std::set<std::string> kFlags = {"queue-label-to-metric-label",
                                               "queue-label-to-default-metric-value",
                                               "resource-reservation-pod-resources",
                                               "resource-reservation-pod-security-context",
                                               "resource-reservation-container-security-context",
                                               "plugins",
                                               "resource-reservation-pod-image",
                                               "scaling-pod-image",
                                               "node-name",
                                               "namespace of platform",
                                               "gpu-pod-runtime-class-name",
                                               "metrics-bind-address",
                                               "metrics-listen-address",
                                               "listen-address",
                                               "health-probe-bind-address",
                                               "plugin-server-port"};
  return kFlags.contains(flag);
}

TEST(ServiceFlagsTest, WithoutAFlagUpstreamsDefaultHolds) {
  int compared = 0;
  for (const Case& one : kCases) {
    std::map<std::string, FlagSet::Entry> known;
    for (const FlagSet::Entry& entry : ListFlags({one.component})) known[entry.name] = entry;
    for (const std::string& flag : one.flags) {
      const size_t equals = std::min(flag.find('='), flag.size());
      const std::string name = flag.substr(2, equals - 2);
      const std::string value = flag.substr(std::min(equals + 1, flag.size()));
      if (IsNoDefault(name) || IsNoDefault(name + " of " + one.component)) continue;
      if (!known.contains(name)) continue;  // Taken, and of no effect.
      const FlagSet::Entry& entry = known[name];
      ++compared;
      if (entry.form == "DURATION") {
        EXPECT_EQ(*base::ParseDuration(entry.initial), *base::ParseDuration(value)) << flag;
      } else {
        EXPECT_EQ(entry.form.empty() && entry.initial.empty() ? "false" : entry.initial, value)
            << one.component << " " << flag;
      }
    }
  }
  EXPECT_GT(compared, 50);
}

TEST(ServiceFlagsTest, SharedFlagsReachEveryService) {
  AllOptions options;
  ASSERT_TRUE(ReadFlags({"binder", "grouper"}, {"--scheduler-name", "s"}, options));
  EXPECT_EQ(options.binder.scheduler_name, "s");
  EXPECT_EQ(options.grouper.scheduler_name, "s");
  EXPECT_EQ(options.podgroups.scheduler_name, "kai-scheduler");
}

TEST(ServiceFlagsTest, TheDeprecatedRuntimeClassGivesWay) {
  AllOptions options;
  ASSERT_TRUE(ReadFlags({"admission"}, {"--gpu-pod-runtime-class-name=old"}, options));
  EXPECT_EQ(options.admission.gpu_fraction_runtime_class_name, "old");
  AllOptions both;
  ASSERT_TRUE(ReadFlags(
      {"admission"}, {"--gpu-fraction-runtime-class-name=new", "--gpu-pod-runtime-class-name=old"},
      both));
  EXPECT_EQ(both.admission.gpu_fraction_runtime_class_name, "new");
}

TEST(ServiceFlagsTest, LeasesAreUpstreams) {
  AllOptions options;
  EXPECT_EQ(LeaseName("binder", options), "2ad35f9c.kai.scheduler");
  EXPECT_EQ(LeaseName("grouper", options), "54dff599.kai.scheduler");
  EXPECT_EQ(LeaseName("scheduler", options), "kai-scheduler");
  options.scheduler.partition_label_value = "a";
  EXPECT_EQ(LeaseName("scheduler", options), "kai-scheduler-a");
}

TEST(ServiceFlagsTest, AMissingConfigurationFileIsAnError) {
  AllOptions options;
  EXPECT_FALSE(ReadFlags({"scheduler"}, {"--scheduler-conf=/no/such/file"}, options));
}

TEST(Flags, PlacementRulesReachAdmission) {
  AllOptions options;
  ASSERT_TRUE(ReadFlags(
      {"admission"}, {"--placement-rules={rules: [{namespace: '*', queue: everybody}]}"}, options));
  EXPECT_TRUE(options.admission.placement.enabled);
  EXPECT_EQ(options.admission.placement.rules.at(0).queue, "everybody");
  EXPECT_FALSE(ReadFlags({"admission"}, {"--placement-rules=/nowhere"}, options));
}

TEST(Flags, EveryFlagIsExplained) {
  const std::vector<std::string> all = {"scheduler", "binder",        "grouper",
                                        "podgroups", "queues",        "admission",
                                        "platform",  "scaleadjuster", "numaexporter"};
  const auto flags = ListFlags(all);
  EXPECT_GT(flags.size(), 60u);
  for (const FlagSet::Entry& flag : flags) EXPECT_NE(HelpOfFlag(flag.name), "") << flag.name;
}

TEST(Flags, HelpIsOfTheNamedComponents) {
  const std::string text = DescribeFlags({"scheduler"});
  EXPECT_NE(text.find("--schedule-period DURATION=1s"), std::string::npos) << text;
  EXPECT_EQ(text.find("--gpu-sharing-enabled"), std::string::npos);
  EXPECT_EQ(text.find("--kubeconfig"), std::string::npos);  // `coppice run` lists it.
}

}  // namespace
}  // namespace coppice::services
