// Reads of a cache show what this process has written, before the watch delivers it and until then.
#include "kube/cache/own_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "api/edit/any.h"
#include "api/edit/core.h"
#include "api/well_known.h"
#include "kube/cache/index.h"
#include "kube/cache/object_store.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::IsEmpty;

const OwnWrites::Deletion kDeletion{*base::ParseRfc3339("2026-01-02T03:04:05Z"), std::nullopt};
const ObjectKey kOwnKey{"ns", "a"};

Value OwnPod(std::string_view name, int version, std::string_view uid = "",
             std::string_view by = "") {
  Value pod = NewObject(api::kPods, "ns", name);
  const edit::meta::ObjectMeta metadata = edit::any::Object(pod).metadata();
  metadata.set_uid(uid.empty() ? std::string("uid-").append(name) : std::string(uid))
      .set_resourceVersion(std::to_string(version));
  if (!by.empty()) metadata.labels().Set("by", by);
  return pod;
}

Value DeletingPod(Value pod) {
  edit::any::Object(pod).metadata().set_deletionTimestamp("2026-01-01T00:00:00Z");
  return pod;
}

class OwnWritesTest : public testing::Test {
 protected:
  OwnWritesTest() {
    store.AddIndex("by", [](const Value& pod) {
      return std::vector<std::string>{std::string(Label(pod, "by"))};
    });
  }

  std::vector<Change> Watch(EventType type, const Value& object) {
    return store.Apply({{type, object}}, ResourceVersion(object), now);
  }
  void Bookmark(int version) { store.Apply({}, std::to_string(version), now); }
  void Relist(const std::vector<Value>& objects, int version) {
    ObjectSet fresh;
    for (const Value& object : objects) fresh.Put(object);
    store.Replace(std::move(fresh), std::to_string(version), [](const auto&) {});
  }
  void Write(const Value& object) { store.Put(object, now); }
  void Delete(const ObjectKey& key, std::optional<std::string> uid = std::nullopt) {
    store.Delete(key, uid, kDeletion, now);
  }

  // "a@7", "a@7 deleting", or "".
  std::string Read(const ObjectKey& key) const {
    const auto object = store.Get(key);
    return object ? Describe(*object) : "";
  }
  static std::string Describe(const Value& object) {
    return std::string(Name(object)) + "@" + std::string(ResourceVersion(object)) +
           (IsDeleting(object) ? " deleting" : "");
  }
  static std::vector<std::string> Describe(const std::vector<Value>& objects) {
    std::vector<std::string> text;
    for (const Value& object : objects) text.push_back(Describe(object));
    return text;
  }

  ObjectStore store;
  base::Instant now{};
};

TEST_F(OwnWritesTest, AreReadableBeforeTheWatchDeliversThem) {
  Write(OwnPod("b", 5));
  EXPECT_EQ(Read({"ns", "b"}), "b@5");
  EXPECT_THAT(Describe(store.List("")), ElementsAre("b@5"));
  EXPECT_THAT(store.ListSeen(), IsEmpty());
  EXPECT_EQ(store.size(), 1U);
}

TEST_F(OwnWritesTest, TakeTheirPlaceAmongTheOthers) {
  Relist({OwnPod("a", 1, "", "x"), OwnPod("c", 2, "", "x"), OwnPod("e", 3, "", "y")}, 3);
  Write(OwnPod("b", 4, "", "x"));
  Write(OwnPod("c", 5, "", "y"));
  Write(OwnPod("f", 6, "", "x"));
  EXPECT_THAT(Describe(store.List("ns")), ElementsAre("a@1", "b@4", "c@5", "e@3", "f@6"));
  EXPECT_THAT(Describe(store.ByIndex("by", "x")), ElementsAre("a@1", "b@4", "f@6"));
  EXPECT_THAT(Describe(store.ByIndex("by", "y")), ElementsAre("c@5", "e@3"));
  EXPECT_THAT(store.List("other"), IsEmpty());
  EXPECT_EQ(store.size(), 5U);
}

TEST_F(OwnWritesTest, IndexesFollowWhatIsWrittenAgain) {
  Write(OwnPod("a", 4, "", "x"));
  Write(OwnPod("b", 5, "", "x"));
  EXPECT_THAT(Describe(store.ByIndex("by", "x")), ElementsAre("a@4", "b@5"));
  Write(OwnPod("a", 6, "", "y"));
  EXPECT_THAT(Describe(store.ByIndex("by", "x")), ElementsAre("b@5"));
  EXPECT_THAT(Describe(store.ByIndex("by", "y")), ElementsAre("a@6"));
  Write(OwnPod("b", 7, "", "y"));
  Watch(EventType::kAdded, OwnPod("a", 6, "", "y"));
  Watch(EventType::kAdded, OwnPod("b", 7, "", "y"));
  EXPECT_THAT(store.ByIndex("by", "x"), IsEmpty());
  EXPECT_THAT(Describe(store.ByIndex("by", "y")), ElementsAre("a@6", "b@7"));
}

TEST_F(OwnWritesTest, AnIndexThatIsAddedLaterShowsThemToo) {
  Write(OwnPod("a", 4, "", "x"));
  store.AddIndex("name", [](const Value& pod) { return std::vector{std::string(Name(pod))}; });
  EXPECT_THAT(Describe(store.ByIndex("name", "a")), ElementsAre("a@4"));
}

TEST_F(OwnWritesTest, ChangesAreWhatTheWatchDeliversAndNothingElse) {
  Watch(EventType::kAdded, OwnPod("a", 1));
  Write(OwnPod("a", 2));
  const auto changes = Watch(EventType::kModified, OwnPod("a", 2));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].type, ChangeType::kUpdated);
  EXPECT_EQ(Describe(changes[0].old_object), "a@1");
}

TEST_F(OwnWritesTest, NewerVersionsReplaceThem) {
  Write(OwnPod("a", 5));
  Watch(EventType::kAdded, OwnPod("a", 4));
  EXPECT_EQ(Read(kOwnKey), "a@5") << "an older version takes nothing back";
  Watch(EventType::kModified, OwnPod("a", 6));
  EXPECT_EQ(Read(kOwnKey), "a@6");
}

TEST_F(OwnWritesTest, AnAnswerThatIsLaterThanTheWatchIsNothingNew) {
  Watch(EventType::kAdded, OwnPod("a", 5));
  Watch(EventType::kDeleted, OwnPod("a", 6));
  EXPECT_FALSE(store.IsNew("5"));
  Write(OwnPod("a", 5));
  EXPECT_EQ(Read(kOwnKey), "");
}

TEST_F(OwnWritesTest, AnswersMayComeInAnyOrder) {
  Write(OwnPod("a", 7));
  Write(OwnPod("a", 5));
  EXPECT_EQ(Read(kOwnKey), "a@7");
  Bookmark(6);
  EXPECT_EQ(Read(kOwnKey), "a@7");
}

// It came and went while nobody watched, or another object of its name was made.
TEST_F(OwnWritesTest, AWriteThatIsLostIsSettledByAnythingLater) {
  Write(OwnPod("a", 5));
  Write(OwnPod("b", 8));
  Watch(EventType::kModified, OwnPod("other", 6));
  EXPECT_EQ(Read(kOwnKey), "");
  EXPECT_EQ(Read({"ns", "b"}), "b@8");
  Bookmark(8);
  EXPECT_EQ(Read({"ns", "b"}), "");
}

TEST_F(OwnWritesTest, AListSettlesWhatIsOlderThanIt) {
  Watch(EventType::kAdded, OwnPod("a", 1));
  Write(OwnPod("b", 5));
  Write(OwnPod("c", 9));
  Relist({OwnPod("a", 1)}, 7);
  EXPECT_THAT(Describe(store.List("")), ElementsAre("a@1", "c@9"));
  Relist({OwnPod("a", 1), OwnPod("c", 9)}, 9);
  EXPECT_THAT(Describe(store.List("")), ElementsAre("a@1", "c@9"));
  EXPECT_EQ(store.ListSeen().size(), 2U);
}

TEST_F(OwnWritesTest, AListOfAnotherHistoryDropsThemAll) {
  Watch(EventType::kAdded, OwnPod("a", 50));
  Write(OwnPod("b", 60));
  Delete(kOwnKey);
  Relist({OwnPod("a", 3)}, 4);
  EXPECT_THAT(Describe(store.List("")), ElementsAre("a@3"));
  Write(OwnPod("c", 5));
  EXPECT_EQ(Read({"ns", "c"}), "c@5");
}

TEST_F(OwnWritesTest, ADeletedObjectReadsAsDeletingUntilTheWatchSaysSo) {
  Watch(EventType::kAdded, OwnPod("a", 1));
  Delete(kOwnKey, "uid-a");
  EXPECT_EQ(Read(kOwnKey), "a@1 deleting");
  EXPECT_EQ(Metadata(*store.Get(kOwnKey)).deletionTimestamp(), "2026-01-02T03:04:05Z");
  Bookmark(3);
  EXPECT_EQ(Read(kOwnKey), "a@1 deleting");
  Watch(EventType::kModified, OwnPod("a", 4));  // From before the deletion.
  EXPECT_EQ(Read(kOwnKey), "a@4 deleting");
  Watch(EventType::kModified, DeletingPod(OwnPod("a", 5)));
  EXPECT_EQ(Metadata(*store.Get(kOwnKey)).deletionTimestamp(), "2026-01-01T00:00:00Z");
  Watch(EventType::kDeleted, DeletingPod(OwnPod("a", 6)));
  EXPECT_EQ(Read(kOwnKey), "");
}

// Until the timestamp passes, the pod may still run.
TEST_F(OwnWritesTest, ADeletedPodHasItsGracePeriod) {
  Value pod = OwnPod("a", 1);
  edit::core::Pod(pod).spec().set_terminationGracePeriodSeconds(30);
  Watch(EventType::kAdded, pod);
  Delete(kOwnKey);
  EXPECT_EQ(Metadata(*store.Get(kOwnKey)).deletionTimestamp(), "2026-01-02T03:04:35Z");
  EXPECT_EQ(Metadata(*store.Get(kOwnKey)).deletionGracePeriodSeconds(), 30);
  Watch(EventType::kDeleted, pod);
  Watch(EventType::kAdded, pod);
  store.Delete(kOwnKey, std::nullopt, {kDeletion.at, 5}, now);
  EXPECT_EQ(Metadata(*store.Get(kOwnKey)).deletionTimestamp(), "2026-01-02T03:04:10Z");
}

TEST_F(OwnWritesTest, ADeletionConcernsOneObjectAndNotItsSuccessor) {
  Watch(EventType::kAdded, OwnPod("a", 1, "first"));
  Delete(kOwnKey, "other");
  EXPECT_EQ(Read(kOwnKey), "a@1");
  Delete(kOwnKey, "first");
  Watch(EventType::kAdded, OwnPod("a", 5, "second"));
  EXPECT_EQ(Read(kOwnKey), "a@5");
  Delete({"ns", "unknown"});
  EXPECT_EQ(Read({"ns", "unknown"}), "");
}

TEST_F(OwnWritesTest, WhatWasCreatedAndDeletedIsDeletingUntilItIsGone) {
  Write(OwnPod("a", 5));
  Delete(kOwnKey);
  EXPECT_EQ(Read(kOwnKey), "a@5 deleting");
  Watch(EventType::kAdded, OwnPod("other", 4));
  EXPECT_EQ(Read(kOwnKey), "a@5 deleting") << "its creation has not come yet";
  Watch(EventType::kAdded, OwnPod("a", 5));
  EXPECT_EQ(Read(kOwnKey), "a@5 deleting");
  Watch(EventType::kDeleted, OwnPod("a", 6));
  EXPECT_EQ(Read(kOwnKey), "");
}

TEST_F(OwnWritesTest, WhatWasCreatedAndDeletedMayBeLostToo) {
  Write(OwnPod("a", 5));
  Delete(kOwnKey);
  Bookmark(9);
  EXPECT_EQ(Read(kOwnKey), "");
}

TEST_F(OwnWritesTest, AWriteAfterTheDeletionKeepsItDeleting) {
  Watch(EventType::kAdded, OwnPod("a", 1));
  Delete(kOwnKey);
  Write(OwnPod("a", 3));
  EXPECT_EQ(Read(kOwnKey), "a@3 deleting");
  Write(DeletingPod(OwnPod("a", 4)));
  EXPECT_EQ(Metadata(*store.Get(kOwnKey)).deletionTimestamp(), "2026-01-01T00:00:00Z");
  Bookmark(4);
  EXPECT_EQ(Read(kOwnKey), "a@1") << "a watch that skips what it has promised is believed";
}

TEST_F(OwnWritesTest, WhatTakesADeletedObjectsNameIsNotDeleting) {
  Watch(EventType::kAdded, OwnPod("a", 1, "first"));
  Delete(kOwnKey);
  Write(OwnPod("a", 4, "second"));
  EXPECT_EQ(Read(kOwnKey), "a@4");
  Watch(EventType::kDeleted, OwnPod("a", 3, "first"));
  EXPECT_EQ(Read(kOwnKey), "a@4");
  Watch(EventType::kAdded, OwnPod("a", 4, "second"));
  EXPECT_EQ(Read(kOwnKey), "a@4");
  EXPECT_EQ(store.ListSeen().size(), 1U);
}

TEST_F(OwnWritesTest, AListShowsWhetherADeletionHappened) {
  Relist({OwnPod("a", 1), OwnPod("b", 2)}, 2);
  Delete(kOwnKey);
  Delete({"ns", "b"});
  Relist({OwnPod("b", 2)}, 4);
  EXPECT_THAT(Describe(store.List("")), ElementsAre("b@2 deleting"));
}

TEST_F(OwnWritesTest, ExpireWhenTheWatchStaysSilent) {
  Write(OwnPod("a", 5));
  now += OwnWrites::kExpiry - std::chrono::seconds(1);
  Write(OwnPod("b", 6));
  EXPECT_THAT(Describe(store.List("")), ElementsAre("a@5", "b@6"));
  now += std::chrono::minutes(2);
  Bookmark(1);
  EXPECT_THAT(Describe(store.List("")), ElementsAre("b@6"));
}

TEST_F(OwnWritesTest, VersionsThatAreNoNumbersAreLeftToTheWatch) {
  EXPECT_EQ(VersionNumber("17"), 17U);
  EXPECT_EQ(VersionNumber(""), 0U);
  EXPECT_EQ(VersionNumber("17x"), 0U);
  Value pod = OwnPod("a", 1);
  edit::any::Object(pod).metadata().set_resourceVersion("abc");
  Write(pod);
  EXPECT_EQ(Read(kOwnKey), "");
}

// A server that this process and others write to, and whose watch lags behind.
class Model {
 public:
  Model(ObjectStore& store, uint64_t seed) : store_(store), random_(seed) {}

  void Step() {
    const std::string name(1, static_cast<char>('a' + Draw(4)));
    switch (Draw(8)) {
      case 0:
      case 1:
        return Write(name, true);
      case 2:
        return Write(name, false);
      case 3:
        return Delete(name, true);
      case 4:
        return Delete(name, false);
      case 5:
        return Draw(10) == 0 ? Relist() : Deliver(1);
      default:
        return Deliver(Draw(4));
    }
  }

  void Deliver(size_t count) {
    std::vector<WatchEvent> batch;
    for (; count > 0 && delivered_ < log_.size(); --count) batch.push_back(log_[delivered_++]);
    if (batch.empty()) return;
    const std::string version(ResourceVersion(batch.back().object));
    store_.Apply(std::move(batch), version, {});
  }
  void DeliverAll() { Deliver(log_.size()); }
  size_t undelivered() const { return log_.size() - delivered_; }
  const std::map<std::string, Value>& objects() const { return objects_; }
  // The newest version of each that this process knows of, from its writes and its watch.
  void Check() {
    for (const char* name : {"a", "b", "c", "d"}) {
      const auto read = store_.Get({"ns", name});
      const auto own = own_.find(name);
      if (own == own_.end()) continue;
      const bool passed = delivered_ > own->second.event;
      if (passed) {
        own_.erase(own);
        continue;
      }
      ASSERT_TRUE(read) << name;
      EXPECT_EQ(Uid(*read), own->second.uid) << name;
      EXPECT_TRUE(!own->second.deleted || IsDeleting(*read)) << name;
      EXPECT_GE(VersionNumber(ResourceVersion(*read)), own->second.version) << name;
    }
  }

 private:
  struct Own {
    std::string uid;
    uint64_t version;
    size_t event;  // The place in the log of the event that delivers it.
    bool deleted;
  };

  size_t Draw(size_t below) { return random_() % below; }
  void Write(const std::string& name, bool own) {
    const auto known = objects_.find(name);
    const std::string uid =
        known == objects_.end() ? std::to_string(version_) : std::string(Uid(known->second));
    const Value object = OwnPod(name, static_cast<int>(++version_), uid);
    log_.push_back({known == objects_.end() ? EventType::kAdded : EventType::kModified, object});
    objects_.insert_or_assign(name, object);
    if (!own) return;
    store_.Put(object, {});
    own_[name] = {uid, version_, log_.size() - 1, false};
  }
  void Delete(const std::string& name, bool own) {
    const auto known = objects_.find(name);
    if (known == objects_.end()) return;
    const std::string uid(Uid(known->second));
    const auto read = store_.Get({"ns", name});
    const Value last = OwnPod(name, static_cast<int>(++version_), uid);
    log_.push_back({EventType::kDeleted, last});
    objects_.erase(known);
    if (!own) return;
    store_.Delete({"ns", name}, uid, kDeletion, {});
    if (read && Uid(*read) == uid) {
      own_[name] = {uid, VersionNumber(ResourceVersion(*read)), log_.size() - 1, true};
    }
  }
  void Relist() {
    ObjectSet fresh;
    for (const auto& [name, object] : objects_) fresh.Put(object);
    delivered_ = log_.size();
    store_.Replace(std::move(fresh), std::to_string(version_), [](const auto&) {});
  }

  ObjectStore& store_;
  std::mt19937_64 random_;
  uint64_t version_ = 1;
  std::map<std::string, Value> objects_;
  std::vector<WatchEvent> log_;
  size_t delivered_ = 0;
  std::map<std::string, Own> own_;
};

TEST(OwnWritesProperty, ReadsShowThemUntilTheWatchHasPassedThemAndThenTheTruth) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    ObjectStore store;
    Model model(store, seed);
    for (int step = 0; step < 100; ++step) {
      model.Step();
      model.Check();
      if (testing::Test::HasFailure()) return;
    }
    model.DeliverAll();
    ASSERT_EQ(store.List("").size(), model.objects().size());
    for (const auto& [name, object] : model.objects()) {
      EXPECT_EQ(store.Get({"ns", name}), object) << name;
    }
    ASSERT_EQ(store.List(""), store.ListSeen());
  }
}

// Readers could see the object, so they must hear that it is gone, though no event ever came.
TEST(OwnWritesAndLists, AnObjectThatComesAndGoesBetweenTwoListsIsReportedAsDeleted) {
  for (const bool others : {false, true}) {
    ObjectStore store;
    std::vector<Change> changes;
    const auto list = [&](int version) {
      ObjectSet fresh;
      if (others) fresh.Put(OwnPod("other", 1));
      store.Replace(std::move(fresh), std::to_string(version), [&](const auto& told) {
        changes.insert(changes.end(), told.begin(), told.end());
      });
    };
    list(2);
    store.Put(OwnPod("a", 3), {});
    changes.clear();
    list(5);
    ASSERT_EQ(changes.size(), 1u);
    EXPECT_EQ(changes[0].type, ChangeType::kDeleted);
    EXPECT_EQ(Name(changes[0].object), "a");
  }
}

}  // namespace
}  // namespace coppice::kube
