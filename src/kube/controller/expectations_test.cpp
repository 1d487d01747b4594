#include "kube/controller/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coppice::kube {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const api::ObjectKey kOwner{"ns", "clique"};

TEST(Expectations, CreatesCountUntilTheCacheShowsThem) {
  Expectations expectations;
  expectations.ExpectCreate(kOwner, "1");
  expectations.ExpectCreate(kOwner, "2");
  EXPECT_THAT(expectations.Sync(kOwner, {}, {}).creates, ElementsAre("1", "2"));
  EXPECT_THAT(expectations.Sync(kOwner, {"1"}, {}).creates, ElementsAre("2"));
  EXPECT_THAT(expectations.Sync(kOwner, {"1", "2"}, {}).creates, IsEmpty());
  EXPECT_EQ(expectations.size(), 0u);
}

TEST(Expectations, DeletesCountWhileTheCacheStillShowsThem) {
  Expectations expectations;
  expectations.ExpectDelete(kOwner, "1");
  EXPECT_THAT(expectations.Sync(kOwner, {"1", "2"}, {}).deletes, ElementsAre("1"));
  EXPECT_THAT(expectations.Sync(kOwner, {"2"}, {"1"}).deletes, ElementsAre("1"));
  EXPECT_THAT(expectations.Sync(kOwner, {"2"}, {}).deletes, IsEmpty());
}

TEST(Expectations, TerminatingPodsCountAfterARestartToo) {
  Expectations expectations;
  EXPECT_THAT(expectations.Sync(kOwner, {"2"}, {"1"}).deletes, ElementsAre("1"));
}

TEST(Expectations, DeletingWhatWasJustCreatedEndsItsCreate) {
  Expectations expectations;
  expectations.ExpectCreate(kOwner, "1");
  expectations.ExpectDelete(kOwner, "1");
  EXPECT_THAT(expectations.Get(kOwner).creates, IsEmpty());
  EXPECT_THAT(expectations.Get(kOwner).deletes, ElementsAre("1"));
}

TEST(Expectations, GoneEndsBoth) {
  Expectations expectations;
  expectations.ExpectCreate(kOwner, "1");
  expectations.ExpectDelete(kOwner, "2");
  expectations.Gone(kOwner, "1");
  expectations.Gone(kOwner, "2");
  expectations.Gone({"ns", "other"}, "2");
  EXPECT_THAT(expectations.Get(kOwner).creates, IsEmpty());
  EXPECT_THAT(expectations.Get(kOwner).deletes, IsEmpty());
}

TEST(Expectations, ForgetDropsTheOwner) {
  Expectations expectations;
  expectations.ExpectCreate(kOwner, "1");
  expectations.Forget(kOwner);
  EXPECT_THAT(expectations.Sync(kOwner, {}, {}).creates, IsEmpty());
}

}  // namespace
}  // namespace coppice::kube
