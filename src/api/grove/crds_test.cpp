#include "api/grove/crds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "api/schema/descriptions_testing.h"
#include "json/write.h"
#include "tests/crds/crds.h"

namespace coppice::api::grove {
namespace {

// Lists of schemas that are sets: the order of their items says nothing.
bool IsUnordered(std::string_view key) {
  return key == "required" || key == "enum" || key == "x-kubernetes-list-map-keys";
}

json::Value Sorted(const json::Value& list) {
  std::vector<json::Value> items(list.Items().begin(), list.Items().end());
  std::sort(items.begin(), items.end(), [](const json::Value& a, const json::Value& b) {
    return json::Write(a) < json::Write(b);
  });
  return json::Value::Array(std::move(items));
}

void Compare(const json::Value& ours, const json::Value& theirs, const std::string& path,
             std::string_view key, std::vector<std::string>& differences) {
  if (ours.IsObject() && theirs.IsObject()) {
    std::set<std::string> keys;
    for (const json::Value* side : {&ours, &theirs}) {
      for (const json::Member& member : side->Members()) keys.emplace(member.name());
    }
    for (const std::string& name : keys) {
      Compare(ours[name], theirs[name], path + "." + name, name, differences);
    }
    return;
  }
  if (IsUnordered(key) ? Sorted(ours) == Sorted(theirs) : ours == theirs) return;
  differences.push_back(path + ": ours " + json::Write(ours) + ", theirs " + json::Write(theirs));
}

json::Value Comparable(const json::Value& crd) {
  json::Value copy = WithoutDescriptions(crd);
  copy.Mutable("metadata").Erase("annotations");
  copy.Erase("status");
  return copy;
}

class PublishedGroveCrds : public ::testing::TestWithParam<std::string> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PublishedGroveCrds);  // Without COPPICE_CRDS.

TEST_P(PublishedGroveCrds, EqualOurs) {
  const json::Value theirs = test_crds::Find(test_crds::Published(), GetParam());
  ASSERT_FALSE(theirs.IsNull()) << GetParam();
  std::vector<std::string> differences;
  Compare(Comparable(test_crds::Find(Crds(), GetParam())), Comparable(theirs), "", "", differences);
  for (const std::string& difference : differences) ADD_FAILURE() << difference.substr(0, 600);
}

INSTANTIATE_TEST_SUITE_P(Grove, PublishedGroveCrds,
                         ::testing::ValuesIn(test_crds::NamesToCompare(Crds())));

TEST(Crds, AreNamedByTheirResources) {
  std::vector<std::string> names;
  for (const json::Value& crd : Crds()) names.push_back(crd["metadata"]["name"].ToString());
  EXPECT_EQ(names,
            (std::vector<std::string>{
                "podcliques.grove.io", "podcliquesets.grove.io", "podcliquescalinggroups.grove.io",
                "clustertopologybindings.grove.io", "podgangs.scheduler.grove.io"}));
}

}  // namespace
}  // namespace coppice::api::grove
