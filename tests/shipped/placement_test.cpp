// Placement rules as an administrator sets them (`placementRules` of the chart): pods of a
// namespace that name no scheduler become our scheduler's, and nobody else's pods depend on
// admission.
#include <gtest/gtest.h>

#include "api/well_known.h"
#include "installation_testing.h"
#include "json/yaml/yaml.h"
#include "kube/object.h"

namespace coppice::packaging {
namespace {

using json::Value;

constexpr std::string_view kRules =
    R"(--placement-rules={"rules":[{"namespace":"research-*","schedulerName":"kai-scheduler","queue":"default-queue"}]})";

Value PodIn(const std::string& ns, const std::string& name, const std::string& more = "") {
  return *json::ParseYaml(fmt::format(
      "{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: {}{}}}, spec: {{containers: "
      "[{{name: c, image: i}}]}}}}",
      name, ns, more));
}

class Placement : public ::testing::Test {
 protected:
  // With the rules where the chart puts them.
  void Install() {
    for (const char* ns : {"research-1", "others"}) {
      there_.Apply(kube::NewObject(api::kNamespaces, "", ns));
    }
    std::vector<Value> manifests = ReadDocuments("deploy/manifests/separate.yaml");
    for (const Value& object : manifests) ASSERT_NO_FATAL_FAILURE(there_.Apply(object));
    for (Value& object : manifests) {
      if (kube::Kind(object) != "Deployment" || kube::Name(object) != "coppice-admission") continue;
      object.Mutable("spec")
          .Mutable("template")
          .Mutable("spec")
          .Mutable("containers")
          .MutableAt(0)
          .Mutable("args")
          .Append(kRules);
      there_.Run(object);
    }
  }

  std::string SchedulerOf(const Value& pod) {
    const auto created = there_.admin().Create(api::kPods, pod, {.dry_run = true});
    return created ? (*created)["spec"]["schedulerName"].ToString() : created.error().message();
  }

  Installation there_;
};

TEST_F(Placement, RewritesTheSchedulerOfTheNamespacesItNamesAlone) {
  ASSERT_NO_FATAL_FAILURE(Install());
  EXPECT_TRUE(there_.Wait([&] { return SchedulerOf(PodIn("research-1", "a")) == "kai-scheduler"; }))
      << SchedulerOf(PodIn("research-1", "a")) << there_.LogOf("coppice-admission");
  const auto created = there_.admin().Create(api::kPods, PodIn("research-1", "b"));
  ASSERT_TRUE(created) << created.error().message();
  EXPECT_EQ(kube::Label(*created, "kai.scheduler/queue"), "default-queue");
  EXPECT_EQ(SchedulerOf(PodIn("others", "c")), "default-scheduler");
  EXPECT_EQ(SchedulerOf(PodIn("kube-system", "d")), "default-scheduler");
  // A gang's pods stay with the scheduler that has the gang.
  EXPECT_EQ(SchedulerOf(PodIn("research-1", "e", ", labels: {grove.io/podgang: g}")),
            "default-scheduler");
}

TEST_F(Placement, NobodysPodsWaitForAdmissionThatIsAway) {
  ASSERT_NO_FATAL_FAILURE(Install());
  ASSERT_TRUE(
      there_.Wait([&] { return SchedulerOf(PodIn("research-1", "a")) == "kai-scheduler"; }));
  there_.Kill("coppice-admission");
  EXPECT_EQ(SchedulerOf(PodIn("research-1", "a")), "default-scheduler");
  EXPECT_EQ(SchedulerOf(PodIn("others", "b")), "default-scheduler");
  // Ours are, as before: who asks for our scheduler is checked by it.
  Value ours = PodIn("others", "c");
  ours.Mutable("spec").Set("schedulerName", "kai-scheduler");
  EXPECT_NE(SchedulerOf(ours), "kai-scheduler");
}

}  // namespace
}  // namespace coppice::packaging
