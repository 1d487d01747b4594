#include "cli/show/top_view.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/show/show_testing.h"

namespace coppice::cli {
namespace {

using json::Value;
using ::testing::HasSubstr;

class TopView : public ShowTest {
 protected:
  TopView() {
    Put(api::kTopologies, R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: default}
spec: {levels: [{nodeLabel: topo/block}, {nodeLabel: topo/rack}, {nodeLabel: kubernetes.io/hostname}]}
)");
    PutNode("n1", "r1", "");
    PutNode("n2", "r1", "");
    PutNode("n10", "r2", "unschedulable: true");
    PutPod("a", "n1", "default", 3);
    // A shared GPU: held by the reservation pod, half of it taken.
    Put(api::kNamespaces,
        "{apiVersion: v1, kind: Namespace, metadata: {name: kai-resource-reservation}}");
    PutPod("r", "n2", "kai-resource-reservation", 1);
    Put(api::kPods, R"(
apiVersion: v1
kind: Pod
metadata: {name: half, namespace: default, annotations: {gpu-fraction: "0.5"}}
spec: {nodeName: n2, containers: [{name: c, image: i}]}
)");
  }

  void PutNode(const std::string& name, const std::string& rack, const std::string& spec) {
    Put(api::kNodes, fmt::format(R"(
apiVersion: v1
kind: Node
metadata: {{name: {0}, labels: {{topo/block: b, topo/rack: {1}, kubernetes.io/hostname: {0}}}}}
spec: {{{2}}}
status: {{allocatable: {{nvidia.com/gpu: "4", cpu: "8", memory: 16Gi, pods: "110"}}, conditions: [{{type: Ready, status: "True"}}]}}
)",
                                 name, rack, spec));
  }

  void PutPod(const std::string& name, const std::string& node, const std::string& ns, int gpus) {
    Put(api::kPods, fmt::format(R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, namespace: {}}}
spec: {{nodeName: {}, containers: [{{name: c, image: i, resources: {{limits: {{nvidia.com/gpu: "{}"}}, requests: {{cpu: "2"}}}}}}]}}
)",
                                name, ns, node, gpus));
  }
};

TEST_F(TopView, ShowsHolesOfNodesAndDomains) {
  const Value top = *ReadTop(*client_);
  EXPECT_EQ(FormatTop(top, TopPart::kAll),
            "DOMAIN   NODES  EMPTY  GPUS  FREE  PODS  LARGEST HOLE\n"
            "cluster  3      0      12    4.5   3     3 on n2\n"
            "  b      3      0      12    4.5   3     3 on n2\n"
            "    r1   2      0      8     4.5   3     3 on n2\n"
            "    r2   1      0      4     0     0     -\n"
            "\n"
            "NODE  GPUS  FREE  LARGEST HOLE  PODS  DOMAIN  STATE\n"
            "n1    4     1     1             1     b/r1    Ready\n"
            "n2    4     3.5   3             2     b/r1    Ready\n"
            "n10   4     0     -             0     b/r2    Cordoned\n");
  EXPECT_THAT(FormatTop(top, TopPart::kNodes, {.wide = true}), HasSubstr("MEM GIB"));
  EXPECT_EQ(top["domains"].At(2)["level"].ToString(), "rack");
}

TEST_F(TopView, ChoosesNodesByLabel) {
  EXPECT_EQ((*ReadTop(*client_, "topo/rack=r2"))["nodes"].size(), 1u);
  EXPECT_EQ(FormatTop(*ReadTop(*client_, "topo/rack=none"), TopPart::kAll), "no node is here\n");
}

}  // namespace
}  // namespace coppice::cli
