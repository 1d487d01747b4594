#include "services/admission/placement_file.h"

#include <gmock/gmock.h>

namespace coppice::services::admission {
namespace {

using testing::HasSubstr;

TEST(PlacementFile, RulesInOrder) {
  const auto rules = ParsePlacementRules(
      "rules:\n"
      "- {namespace: research-*, schedulerName: kai-scheduler, queue: research}\n"
      "- {namespace: '*', queue: default-queue}\n");
  ASSERT_TRUE(rules) << rules.error().ToString();
  EXPECT_TRUE(rules->enabled);
  EXPECT_TRUE(rules->refuse_unknown_queues);
  ASSERT_EQ(rules->rules.size(), 2u);
  EXPECT_EQ(rules->rules[0].namespace_pattern, "research-*");
  EXPECT_EQ(rules->rules[0].scheduler_name, "kai-scheduler");
  EXPECT_EQ(rules->rules[1].queue, "default-queue");
  EXPECT_FALSE(ParsePlacementRules("refuseUnknownQueues: false")->refuse_unknown_queues);
}

TEST(PlacementFile, ErrorsNameTheField) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "the file must be an object"},
      {"{rule: []}", "unknown field \"rule\""},
      {"{rules: {}}", "rules must be a list"},
      {"{refuseUnknownQueues: 3}", "refuseUnknownQueues must be true or false"},
      {"{rules: [{queue: q}]}", "rules[0].namespace is missing"},
      {"{rules: [{namespace: a, queue: q}, {namespace: b}]}", "rules[1] sets nothing"},
      {"{rules: [{namespace: a, queue: [q]}]}", "rules[0].queue must be a text"},
      {"{rules: [{namespace: a, que: q}]}", "rules[0]: unknown field \"que\""},
  };
  for (const auto& [text, message] : cases) {
    const auto rules = ParsePlacementRules(text);
    ASSERT_FALSE(rules) << text;
    EXPECT_THAT(rules.error().message(), HasSubstr(message)) << text;
  }
}

TEST(PlacementFile, AFlagHoldsTheRulesOrNamesAFile) {
  EXPECT_EQ(ReadPlacementRules(R"({"rules":[{"namespace":"a","queue":"q"}]})")->rules.size(), 1u);
  const auto rules = ReadPlacementRules("/nowhere/rules.yaml");
  ASSERT_FALSE(rules);
  EXPECT_THAT(rules.error().ToString(), HasSubstr("/nowhere/rules.yaml"));
}

}  // namespace
}  // namespace coppice::services::admission
