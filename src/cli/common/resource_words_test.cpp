#include "cli/common/resource_words.h"

#include <gtest/gtest.h>

#include "api/well_known.h"

namespace coppice::cli {
namespace {

TEST(ResourceWordsTest, AreThoseOfKubectlAndOurs) {
  for (const char* word : {"set", "sets", "pcs", "podcliqueset", "podcliquesets",
                           "podcliquesets.grove.io", "podcliqueset.v1alpha1.grove.io"}) {
    const ResourceWord* found = FindResourceWord(word);
    ASSERT_NE(found, nullptr) << word;
    EXPECT_EQ(found->resource, api::kPodCliqueSets) << word;
  }
  EXPECT_EQ(FindResourceWord("deploy")->resource, api::kDeployments);
  EXPECT_EQ(FindResourceWord("jobs.batch")->resource, api::kJobs);
  EXPECT_EQ(FindResourceWord("secret"), nullptr);
  EXPECT_EQ(FindResourceWord(""), nullptr);
}

TEST(ResourceWordsTest, ATargetIsANameOrAKindAndAName) {
  EXPECT_EQ(*JoinTarget({}), "");
  EXPECT_EQ(*JoinTarget({"train"}), "train");
  EXPECT_EQ(*JoinTarget({"job", "train"}), "job/train");
  EXPECT_EQ(JoinTarget({"a", "b"}).error().message(),
            "\"a\" is no kind of object; use NAME, KIND/NAME or KIND NAME, such as job/train");
  EXPECT_EQ(JoinTarget({"job/a", "b"}).error().message(),
            "one object at a time: NAME, KIND/NAME or KIND NAME, not \"job/a b\"");
}

TEST(ResourceWordsTest, ParsesWhatUsersName) {
  EXPECT_EQ(ParseNamedObject("train")->kind, nullptr);
  EXPECT_EQ(ParseNamedObject("gang/a")->kind->resource, api::kPodGangs);
  EXPECT_EQ(ParseNamedObject("raycluster/a")->other_kind, "raycluster");
  EXPECT_FALSE(ParseNamedObject("job/"));
  EXPECT_FALSE(ParseNamedObject("/train"));
  EXPECT_EQ(ResourceName(api::kPodCliqueSets, "a"), "set/a");
}

}  // namespace
}  // namespace coppice::cli
