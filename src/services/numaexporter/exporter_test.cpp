#include "services/numaexporter/exporter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/well_known.h"
#include "http/client/unix_server_testing.h"
#include "http/protocol/http2_frames_testing.h"
#include "kube/client/intercepted_client.h"
#include "kube/object.h"
#include "services/numaexporter/cpu_map.h"
#include "services/numaexporter/kubelet.h"
#include "services/numaexporter/placement.h"
#include "services/test_cluster_testing.h"

namespace coppice::services::numaexporter {
namespace {

namespace fs = std::filesystem;

const std::map<int, int> kCpus{{0, 0}, {1, 0}, {2, 1}, {3, 1}};

PodResources Pod(std::vector<Container> containers) {
  return {"p", "default", std::move(containers)};
}

TEST(CpuMapTest, ReadsLists) {
  EXPECT_EQ(*ParseCpuList("0-3,8\n"), (std::vector{0, 1, 2, 3, 8}));
  EXPECT_TRUE(ParseCpuList("")->empty());
  for (const char* bad : {"a", "3-1", "1-", "0,,1", "99999999999"})
    EXPECT_FALSE(ParseCpuList(bad)) << bad;
}

TEST(CpuMapTest, ReadsTheNodesOfAMachine) {
  const fs::path root = fs::temp_directory_path() / fmt::format("coppice-sysfs-{}", getpid());
  for (const auto& [node, list] : {std::pair{"node0", "0-1"}, {"node1", "2"}}) {
    fs::create_directories(root / "devices/system/node" / node);
    std::ofstream(root / "devices/system/node" / node / "cpulist") << list << "\n";
  }
  EXPECT_EQ(*ReadCpuMap(root), (std::map<int, int>{{0, 0}, {1, 0}, {2, 1}}));
  fs::remove_all(root);
  EXPECT_FALSE(ReadCpuMap(root));
}

TEST(PlacementTest, CountsWhatLiesOnOneNode) {
  const Container container{{{"nvidia.com/gpu", 2, {0}}, {"nic", 1, {0, 1}}},
                            {0, 1, 2},
                            {{"memory", 1024, {1}}, {"hugepages-2Mi", 0, {1}}}};
  EXPECT_EQ(PlacementAnnotation(Pod({container}), kCpus),
            R"([{"zone":"node-0","amount":{"cpu":"2","nvidia.com/gpu":"2"}},)"
            R"({"zone":"node-1","amount":{"cpu":"1","memory":"1024"}}])");
  EXPECT_EQ(PlacementAnnotation(Pod({}), kCpus), "");
}

TEST(PlacementTest, IsWrittenAsUpstreamWritesIt) {
  const Container container{{{"nic", 1, {10}}, {"nic", 0, {3}}}, {}, {{"", 2000, {2}}}};
  EXPECT_EQ(PlacementAnnotation(Pod({container}), kCpus),
            R"([{"zone":"node-10","amount":{"nic":"1"}},)"
            R"({"zone":"node-2","amount":{"memory":"2k"}}])");
}

TEST(WireTest, DecodesWhatAKubeletSends) {
  // One pod "p" in "ns": a container with one device of "g" on NUMA node 1, and CPUs 5 and 300.
  const std::string topology("\x0a\x02\x08\x01", 4);
  const std::string devices = std::string("\x0a\x01g\x12\x02id\x1a\x04", 9) + topology;
  const std::string cpus("\x1a\x03\x05\xac\x02", 5);
  const std::string container =
      std::string("\x12", 1) + static_cast<char>(devices.size()) + devices + cpus;
  const std::string pod =
      std::string("\x0a\x01p\x12\x02ns\x1a", 8) + static_cast<char>(container.size()) + container;
  const std::string message = std::string("\x0a", 1) + static_cast<char>(pod.size()) + pod;
  const auto decoded = DecodePodResources(message);
  ASSERT_TRUE(decoded) << decoded.error().message();
  ASSERT_EQ(decoded->size(), 1);
  EXPECT_EQ(decoded->front().ns, "ns");
  const Container& first = decoded->front().containers.at(0);
  EXPECT_EQ(first.devices.at(0).resource, "g");
  EXPECT_EQ(first.devices.at(0).numa_nodes, std::vector<int64_t>{1});
  EXPECT_EQ(first.cpus, (std::vector<int64_t>{5, 300}));
  for (size_t cut = 1; cut < message.size(); ++cut) {
    EXPECT_FALSE(DecodePodResources(message.substr(0, cut))) << cut;
  }
}

TEST(KubeletTest, CallsOverAUnixSocket) {
  using http::testing::Frame;
  using http::testing::Literal;
  using enum http::testing::FrameType;
  using enum http::testing::FrameFlag;
  // One pod named "p"; five bytes of gRPC framing go before it.
  const std::string message("\x0a\x03\x0a\x01p", 5);
  const http::testing::UnixServer kubelet(
      Frame(kSettings, 0, 0) + Frame(kHeaders, kEndHeaders, 1, Literal(":status", "200")) +
      Frame(kData, 0, 1, std::string("\0\0\0\0\x05", 5) + message) +
      Frame(kHeaders, kEndHeaders | kEndStream, 1, Literal("grpc-status", "0")));
  const auto pods = ListPodResources(kubelet.path(), std::chrono::seconds(10));
  ASSERT_TRUE(pods) << pods.error().message();
  ASSERT_EQ(pods->size(), 1);
  EXPECT_EQ(pods->front().name, "p");
}

TEST(KubeletTest, NobodyThere) {
  EXPECT_FALSE(ListPodResources("/nonexistent.sock", std::chrono::seconds(1)));
}

TEST(ExporterTest, WritesOnceAndRepairs) {
  TestCluster cluster;
  cluster.AddNode("n1", 0);
  cluster.AddPod("p", "q", 0);
  const json::Value binding =
      Doc("{apiVersion: v1, kind: Binding, metadata: {name: p, namespace: default},"
          " target: {kind: Node, name: n1}}");
  ASSERT_TRUE(cluster.client().Create(api::kPods, binding, {.subresource = "binding"}));
  std::vector<PodResources> pods{Pod({{{}, {0}, {}}}), {"gone", "default", {{{}, {0}, {}}}}};
  Exporter exporter(cluster.client(), {.node_name = "n1"}, kCpus,
                    [&]() -> base::Result<std::vector<PodResources>> { return pods; });
  const auto annotation = [&] {
    return std::string(
        kube::Annotation(cluster.Get(api::kPods, "p"), "kai.scheduler/numa-placement-observed"));
  };
  ASSERT_TRUE(exporter.Poll());
  const std::string expected = R"([{"zone":"node-0","amount":{"cpu":"1"}}])";
  EXPECT_EQ(annotation(), expected);
  const std::string version =
      cluster.Get(api::kPods, "p")["metadata"]["resourceVersion"].ToString();
  ASSERT_TRUE(exporter.Poll());
  EXPECT_EQ(cluster.Get(api::kPods, "p")["metadata"]["resourceVersion"].AsString(), version);
  ASSERT_TRUE(cluster.client().Patch(
      api::kPods, {"default", "p"}, kube::PatchType::kMerge,
      Doc("metadata: {annotations: {kai.scheduler/numa-placement-observed: wrong}}")));
  ASSERT_TRUE(exporter.RepairDrift());
  EXPECT_EQ(annotation(), expected);
}

// The API server takes no write of one pod.
class RefusesBad final : public kube::InterceptedClient {
 public:
  using InterceptedClient::InterceptedClient;

 protected:
  base::Status Before(const kube::Call& call) override {
    const bool bad = call.verb == kube::Verb::kPatch && call.key.name == "bad";
    return bad ? base::Status(base::Internal("refused")) : base::Status();
  }
};

TEST(ExporterTest, APodThatCannotBeWrittenIsNotInTheWayOfOthers) {
  TestCluster cluster;
  cluster.AddPod("bad", "q", 0);
  cluster.AddPod("p", "q", 0);
  RefusesBad client(cluster.client());
  Exporter exporter(
      client, {.node_name = "n1"}, kCpus, [&]() -> base::Result<std::vector<PodResources>> {
        return std::vector<PodResources>{{"bad", "default", {{{}, {0}, {}}}}, Pod({{{}, {0}, {}}})};
      });
  EXPECT_FALSE(exporter.Poll()) << "it is tried again";
  EXPECT_TRUE(cluster.Get(api::kPods, "p")["metadata"]["annotations"].Has(
      "kai.scheduler/numa-placement-observed"));
}

}  // namespace
}  // namespace coppice::services::numaexporter
