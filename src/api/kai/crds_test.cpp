// Compares the generated CRDs with KAI's own, field by field, where COPPICE_CRDS has those.
#include "api/kai/crds.h"

#include <gtest/gtest.h>

#include <set>

#include "api/schema/descriptions_testing.h"
#include "json/write.h"
#include "tests/crds/crds.h"

namespace coppice::api::kai {
namespace {

using json::Value;

void Differences(const Value& ours, const Value& theirs, const std::string& path,
                 std::set<std::string>& out) {
  if (ours == theirs) return;
  if (!ours.IsObject() || !theirs.IsObject()) {
    out.insert(path + ": " + json::Write(ours) + " instead of " + json::Write(theirs));
    return;
  }
  for (const json::Member& member : ours.Members()) {
    Differences(member.value, theirs[member.name()], path + "." + std::string(member.name()), out);
  }
  for (const json::Member& member : theirs.Members()) {
    if (!ours.Has(member.name())) {
      out.insert(path + "." + std::string(member.name()) + ": missing");
    }
  }
}

Value Comparable(Value crd) {
  Value spec = crd["spec"];
  spec.Erase("conversion");
  for (Value& version : spec.Mutable("versions").MutableItems()) {
    Value& schema = version.Mutable("schema").Mutable("openAPIV3Schema");
    schema = WithoutDescriptions(schema);
  }
  // Lists of versions compare as objects, to name the path of a difference.
  Value versions = Value::Object();
  for (const Value& version : spec["versions"].Items()) {
    versions.Set(version["name"].AsString(), version);
  }
  return spec.Set("versions", std::move(versions));
}

class PublishedKaiCrds : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublishedKaiCrds);  // Without COPPICE_CRDS.

TEST_P(PublishedKaiCrds, EqualOurs) {
  // Deliberate: we add a phase to the PodGroup's status, one Deployment can run everything, and
  // a GPU group without a name would be everybody's.
  const std::string groups =
      "bindrequests.scheduling.run.ai.versions.v1alpha2.schema.openAPIV3Schema.properties.spec."
      "properties.selectedGPUGroups.items.";
  const std::set<std::string> allowed = {
      "podgroups.scheduling.run.ai.versions.v2alpha2.schema.openAPIV3Schema.properties.status."
      "properties.phase: {\"type\":\"string\"} instead of null",
      "configs.kai.scheduler.versions.v1.schema.openAPIV3Schema.properties.spec.properties.global."
      "properties.singleProcess: {\"type\":\"boolean\"} instead of null",
      groups + "maxLength: 63 instead of null", groups + "minLength: 1 instead of null",
      groups + "pattern: \"^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$\" instead of null"};
  const Value theirs = test_crds::Find(test_crds::Published(), GetParam());
  ASSERT_FALSE(theirs.IsNull()) << GetParam();
  std::set<std::string> found;
  Differences(Comparable(test_crds::Find(Crds(), GetParam())), Comparable(theirs), GetParam(),
              found);
  for (const std::string& difference : found) {
    EXPECT_TRUE(allowed.contains(difference)) << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Kai, PublishedKaiCrds,
                         ::testing::ValuesIn(test_crds::NamesToCompare(Crds())));

}  // namespace
}  // namespace coppice::api::kai
