#include "operator/common/scope.h"

#include <gtest/gtest.h>

namespace coppice::operators::podcliqueset {
namespace {

using std::chrono::seconds;

const api::ObjectKey kSet{"team", "a"};
constexpr base::Instant kNow{};

class NewsTest : public testing::Test {
 protected:
  NewsTest() {
    news.Take(kSet, kNow);
    news.Passed(kSet, StepOutcome::Done(), kNow);
  }

  News news;
};

TEST(Scope, KnowsTheReplicasThatExist) {
  EXPECT_EQ(Scope::All().Of(3), (std::vector{0, 1, 2}));
  EXPECT_EQ(Scope::Only({0, 2, 7}).Of(3), (std::vector{0, 2}));
  EXPECT_TRUE(Scope::Only({}).Of(3).empty());
  EXPECT_TRUE(Scope::All().Of(-1).empty());
}

TEST(News, OfASetNeverSeenConcernsAllOfIt) {
  News news;
  EXPECT_TRUE(news.Take(kSet, kNow).all());
  news.Forget(kSet);
  EXPECT_TRUE(news.Take(kSet, kNow).all());
}

TEST_F(NewsTest, OfReplicasConcernsThem) {
  news.Hear(kSet, 4);
  news.Hear(kSet, 1);
  news.Hear(kSet, 4);
  const Scope scope = news.Take(kSet, kNow);
  EXPECT_FALSE(scope.all());
  EXPECT_EQ(scope.Of(10), (std::vector{1, 4}));
  EXPECT_TRUE(news.Take(kSet, kNow).Of(10).empty());
}

TEST_F(NewsTest, OfTheSetConcernsAllOfIt) {
  news.Hear(kSet, 4);
  news.Hear(kSet, std::nullopt);
  EXPECT_TRUE(news.Take(kSet, kNow).all());
  EXPECT_FALSE(news.Take(kSet, kNow).all());
}

TEST_F(NewsTest, APassThatWentWrongIsRepeatedInFull) {
  news.Passed(kSet, StepOutcome::Failed("ERR", "Sync", base::Internal("broken")), kNow);
  EXPECT_TRUE(news.Take(kSet, kNow).all());
  news.Passed(kSet, StepOutcome::RequeueAfter("waits", seconds(5)), kNow);
  EXPECT_TRUE(news.Take(kSet, kNow).all());
}

TEST_F(NewsTest, AFullPassComesWhenItWasAskedForWhateverIsHeardUntilThen) {
  news.Passed(kSet, StepOutcome::ContinueAndRequeue("breached", seconds(60)), kNow);
  news.Hear(kSet, 1);
  EXPECT_FALSE(news.Take(kSet, kNow + seconds(59)).all());
  const auto again = news.Passed(
      kSet, StepOutcome::ContinueAndRequeue("breached later", seconds(60)), kNow + seconds(59));
  EXPECT_EQ(again, seconds(1)) << "whatever came of the pass that asked";
  news.Hear(kSet, 1);
  EXPECT_TRUE(news.Take(kSet, kNow + seconds(60)).all());
  EXPECT_FALSE(news.Take(kSet, kNow + seconds(61)).all());
  EXPECT_FALSE(news.Passed(kSet, StepOutcome::Done(), kNow + seconds(61)));
}

}  // namespace
}  // namespace coppice::operators::podcliqueset
