#include "operator/initc/requirements.h"

#include <gtest/gtest.h>

#include "json/yaml/yaml.h"

namespace coppice::operators::initc {
namespace {

json::Value Pod(const std::string& name, const std::string& clique, bool ready) {
  return *json::ParseYaml("{metadata: {name: " + name + ", labels: {grove.io/podclique: " + clique +
                          "}}, status: {conditions: [{type: Ready, status: \"" +
                          (ready ? "True" : "False") + "\"}]}}");
}

TEST(InitRequirements, ReadsNamesAndCounts) {
  const auto requirements = ParseRequirements({"a:1", "", " b:2 "});
  ASSERT_TRUE(requirements.ok());
  EXPECT_EQ(*requirements, (Requirements{{"a", 1}, {"b", 2}}));
}

TEST(InitRequirements, RefusesWhatItCannotRead) {
  for (const char* bad : {"a", "a:", ":1", "a:0", "a:-1", "a:x", "a:1:2"}) {
    EXPECT_FALSE(ParseRequirements({bad}).ok()) << bad;
  }
}

TEST(InitRequirements, ReadsAContainersArguments) {
  const auto container =
      json::ParseYaml("{args: [\"--podcliques=a:1\", \"-p\", \"b:2\", \"--podcliques\", \"c:3\"]}");
  const auto requirements = RequirementsOfContainer(*container);
  ASSERT_TRUE(requirements.ok());
  EXPECT_EQ(*requirements, (Requirements{{"a", 1}, {"b", 2}, {"c", 3}}));
}

TEST(InitWaiter, IsSatisfiedWhileEnoughPodsAreReady) {
  Waiter waiter({{"a", 2}});
  EXPECT_EQ(waiter.Missing(), "a: 0 of 2 ready");
  waiter.Observe(Pod("a-x", "a", true));
  waiter.Observe(Pod("ab-x", "ab", true));
  EXPECT_FALSE(waiter.Satisfied());
  waiter.Observe(Pod("a-y", "a", true));
  EXPECT_TRUE(waiter.Satisfied());
  waiter.Observe(Pod("a-y", "a", false));
  EXPECT_FALSE(waiter.Satisfied());
  waiter.Observe(Pod("a-y", "a", true));
  waiter.Remove(Pod("a-x", "a", true));
  EXPECT_FALSE(waiter.Satisfied());
}

// The gang restarts: its old leader is still ready while the new worker starts.
TEST(InitWaiter, APodOnItsWayOutDoesNotCount) {
  Waiter waiter({{"a", 1}});
  json::Value old = Pod("a-x", "a", true);
  waiter.Observe(old);
  EXPECT_TRUE(waiter.Satisfied());
  old.Mutable("metadata").Set("deletionTimestamp", "2026-01-01T00:00:00Z");
  waiter.Observe(old);
  EXPECT_EQ(waiter.Missing(), "a: 0 of 1 ready");
  waiter.Observe(Pod("a-y", "a", true));
  EXPECT_TRUE(waiter.Satisfied());
}

}  // namespace
}  // namespace coppice::operators::initc
