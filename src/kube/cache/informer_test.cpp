#include "kube/cache/informer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "api/well_known.h"
#include "kube/cache/index.h"
#include "kube/cache/informer_cache.h"
#include "kube/client/fake_client_testing.h"
#include "kube/executor/stepper.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using base::ErrorCode;
using json::Value;
using testing::ElementsAre;

Value Pod(std::string_view name, std::string_view node = "", std::string_view ns = "ns") {
  return NewObject(api::kPods, ns, name).Set("spec", Value::Object({{"nodeName", node}}));
}

std::string Describe(const Change& change) {
  const char* type = change.type == ChangeType::kAdded     ? "+"
                     : change.type == ChangeType::kUpdated ? "~"
                                                           : "-";
  std::string text = type + std::string(Name(change.object));
  if (const auto node = change.object["spec"]["nodeName"].AsString(); !node.empty()) {
    text.append("@").append(node);
  }
  return text + (change.final_state_unknown ? "?" : "");
}

struct InformerTest : testing::TestWithParam<bool> {
  FakeClient client;
  Stepper stepper;
  std::vector<std::string> seen;
  std::unique_ptr<ReflectedInformer> informer;

  void Create(InformerOptions which = {}) {
    Reflector::Options options;
    options.which = std::move(which);
    options.streaming_lists = GetParam();
    options.page_size = 2;
    informer = std::make_unique<ReflectedInformer>(client, stepper, api::kPods, options);
    informer->AddHandler([this](const Change& change) { seen.push_back(Describe(change)); });
  }
  void Start() {
    informer->Start([this] { seen.push_back("synced"); });
    stepper.RunUntilIdle();
  }
  void Put(std::string_view name, std::string_view node = "") {
    if (!client.Create(api::kPods, Pod(name, node))) {
      ASSERT_TRUE(client.Update(api::kPods, Pod(name, node)));
    }
  }
  void Remove(std::string_view name) {
    ASSERT_TRUE(client.Delete(api::kPods, {"ns", std::string(name)}));
  }
  std::vector<std::string> TakeSeen() { return std::exchange(seen, {}); }
};

INSTANTIATE_TEST_SUITE_P(ListAndStream, InformerTest, testing::Bool(),
                         [](const auto& i) { return i.param ? "Stream" : "List"; });

TEST_P(InformerTest, SyncsThenFollows) {
  Put("a");
  Put("b");
  Put("c");
  Create();
  EXPECT_FALSE(informer->Synced());
  Start();
  EXPECT_TRUE(informer->Synced());
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "+b", "+c", "synced"));
  Put("d");
  Put("a", "n1");
  Remove("b");
  stepper.RunUntilIdle();
  EXPECT_THAT(TakeSeen(), ElementsAre("+d", "~a@n1", "-b"));
  EXPECT_EQ(informer->size(), 3u);
  EXPECT_EQ(informer->Get({"ns", "a"}).value()["spec"]["nodeName"].AsString(), "n1");
  EXPECT_FALSE(informer->Get({"ns", "b"}));
}

TEST_P(InformerTest, ListsInKeyOrderPerNamespace) {
  for (const char* ns : {"y", "x", "z"}) {
    for (const char* name : {"2", "1"}) {
      ASSERT_TRUE(client.Create(api::kPods, Pod(name, "", ns)));
    }
  }
  Create();
  Start();
  std::vector<std::string> keys;
  for (const Value& pod : informer->List("")) keys.push_back(KeyOf(pod).ToString());
  EXPECT_THAT(keys, ElementsAre("x/1", "x/2", "y/1", "y/2", "z/1", "z/2"));
  EXPECT_EQ(informer->List("y").size(), 2u);
  EXPECT_EQ(informer->List("w").size(), 0u);
}

TEST_P(InformerTest, ResumesWhereItStoodAfterACut) {
  Put("a");
  Create();
  Start();
  TakeSeen();
  const int lists = client.lists();
  client.CutWatches();
  Put("b");
  Remove("a");
  stepper.RunUntilIdle();
  EXPECT_THAT(TakeSeen(), ElementsAre("+b", "-a"));
  EXPECT_EQ(client.lists(), lists);
}

TEST_P(InformerTest, BookmarkMovesThePlaceToResume) {
  Put("a");
  Create();
  Start();
  TakeSeen();
  ASSERT_TRUE(client.Create(api::kConfigMaps, NewObject(api::kConfigMaps, "ns", "other")));
  client.Compact();
  client.Bookmark();
  stepper.RunUntilIdle();
  const int started = client.watches_started();
  client.CutWatches();
  stepper.RunUntilIdle();
  Put("b");
  stepper.RunUntilIdle();
  EXPECT_THAT(TakeSeen(), ElementsAre("+b"));
  EXPECT_EQ(client.watches_started(), started + 1);
}

TEST_P(InformerTest, RelistTellsTheDifference) {
  Put("same");
  Put("changed", "n1");
  Put("gone", "n1");
  Put("remade");
  Create();
  Start();
  TakeSeen();
  client.CutWatches();
  Put("changed", "n2");
  Remove("gone");
  Remove("remade");
  Put("remade");
  Put("new");
  client.Compact();
  stepper.RunFor(1s);
  EXPECT_THAT(TakeSeen(), ElementsAre("-gone@n1?", "~changed@n2", "+new", "-remade?", "+remade"));
  EXPECT_EQ(informer->size(), 4u);
}

TEST_P(InformerTest, GoneInTheMiddleOfAWatchRelists) {
  Put("a");
  Create();
  Start();
  TakeSeen();
  client.CutWatches(base::Error(ErrorCode::kGone, "expired"));
  Put("b");
  stepper.RunFor(1s);
  EXPECT_THAT(TakeSeen(), ElementsAre("+b"));
}

TEST_P(InformerTest, AServerWithAnotherHistoryIsListedAgain) {
  Put("a");
  client.supports_streaming = false;
  Create();
  Start();
  TakeSeen();
  const int lists = client.lists();
  client.CutWatches(base::Error(ErrorCode::kTimeout, "Too large resource version")
                        .WithCause({"ResourceVersionTooLarge", "", ""}));
  Put("b");
  stepper.RunFor(1s);
  EXPECT_THAT(TakeSeen(), ElementsAre("+b"));
  EXPECT_EQ(client.lists(), lists + 1);
}

TEST_P(InformerTest, KeepsTryingWithBackoff) {
  Put("a");
  client.FailNext(6, base::Unavailable("down"));
  Create();
  Start();
  EXPECT_FALSE(informer->Synced());
  EXPECT_TRUE(stepper.RunUntil([&] { return informer->Synced(); }, 1min));
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "synced"));
}

TEST_P(InformerTest, SaysWhatTheServerRefusesAndWhenItNoLongerDoes) {
  const base::Error forbidden(ErrorCode::kForbidden, "pods is forbidden");
  int told = 0;
  Put("a");
  client.FailNext(1000, forbidden);
  Create();
  EXPECT_TRUE(informer->Following().Is(ErrorCode::kUnavailable)) << "nothing was asked yet";
  informer->OnFollowing([&] { ++told; });
  Start();
  stepper.RunFor(1min);
  EXPECT_TRUE(informer->Following().Is(ErrorCode::kForbidden));
  EXPECT_GT(told, 0);
  client.FailNext(0, forbidden);
  EXPECT_TRUE(stepper.RunUntil([&] { return informer->Following().ok(); }, 1min));
  EXPECT_TRUE(informer->Synced());
  // The rights go while it watches: what it has is old from then on.
  client.FailNext(1000, forbidden);
  client.CutWatches();
  EXPECT_TRUE(stepper.RunUntil([&] { return !informer->Following().ok(); }, 1min));
  EXPECT_TRUE(informer->Synced());
  const int before = told;
  client.FailNext(0, forbidden);
  EXPECT_TRUE(stepper.RunUntil([&] { return informer->Following().ok(); }, 2min));
  EXPECT_GT(told, before);
  Put("b");
  stepper.RunUntilIdle();
  EXPECT_TRUE(informer->Get({"ns", "b"}));
}

// A kind that goes and comes back has other objects: it is listed anew.
TEST_P(InformerTest, AKindThatComesBackIsListedAnew) {
  Create();
  Start();
  ASSERT_TRUE(informer->Following().ok());
  client.CutWatches(base::NotFound("not served"));
  client.FailNext(1, base::NotFound("not served"));
  EXPECT_TRUE(stepper.RunUntil([&] { return !informer->Following().ok(); }, 1min));
  EXPECT_TRUE(stepper.RunUntil([&] { return informer->Following().ok(); }, 1min));
  Put("b");
  stepper.RunUntilIdle();
  EXPECT_TRUE(informer->Get({"ns", "b"})) << "listed and watched again";
}

TEST_P(InformerTest, DropsManagedFieldsAndWhatIsTrimmed) {
  Value pod = Pod("a", "n1");
  pod.Mutable("metadata").Set("managedFields", Value::Array({Value::Object({{"manager", "x"}})}));
  pod.Set("status", Value::Object({{"phase", "Running"}}));
  ASSERT_TRUE(client.Create(api::kPods, pod));
  InformerOptions options;
  options.trim = [](Value object) {
    object.Erase("status");
    return object;
  };
  Create(options);
  Start();
  const Value cached = informer->Get({"ns", "a"}).value();
  EXPECT_FALSE(cached["metadata"].Has("managedFields"));
  EXPECT_FALSE(cached.Has("status"));
  EXPECT_EQ(cached["spec"]["nodeName"].AsString(), "n1");
}

TEST_P(InformerTest, IndexesFollowChanges) {
  Put("a", "n1");
  Put("b", "n1");
  Create();
  const auto by_node = [](const Value& pod) {
    return std::vector{pod["spec"]["nodeName"].ToString()};
  };
  informer->AddIndex("node", by_node);
  Start();
  informer->AddIndex("late", by_node);
  const auto names = [&](std::string_view index, std::string_view node) {
    std::vector<std::string> found;
    for (const Value& pod : informer->ByIndex(index, node)) found.emplace_back(Name(pod));
    return found;
  };
  EXPECT_THAT(names("node", "n1"), ElementsAre("a", "b"));
  EXPECT_THAT(names("late", "n1"), ElementsAre("a", "b"));
  Put("a", "n2");
  Remove("b");
  stepper.RunUntilIdle();
  for (const char* index : {"node", "late"}) {
    EXPECT_THAT(names(index, "n1"), ElementsAre());
    EXPECT_THAT(names(index, "n2"), ElementsAre("a"));
  }
  EXPECT_THAT(names("unknown", "n1"), ElementsAre());
}

TEST_P(InformerTest, OwnerIndexFindsChildren) {
  Value child = Pod("child");
  child.Mutable("metadata")
      .Set("ownerReferences",
           Value::Array({Value::Object({{"uid", "u1"}}), Value::Object({{"uid", "u2"}})}));
  ASSERT_TRUE(client.Create(api::kPods, child));
  Create();
  AddOwnerIndex(*informer);
  Start();
  EXPECT_EQ(OwnedBy(*informer, "u1").size(), 1u);
  EXPECT_EQ(OwnedBy(*informer, "u2").size(), 1u);
  EXPECT_EQ(OwnedBy(*informer, "u3").size(), 0u);
}

TEST_P(InformerTest, LateHandlerHearsOfWhatIsThere) {
  Put("a");
  Create();
  Start();
  std::vector<std::string> late;
  informer->AddHandler([&](const Change& change) { late.push_back(Describe(change)); });
  Put("b");
  stepper.RunUntilIdle();
  EXPECT_THAT(late, testing::UnorderedElementsAre("+a", "+b"));
}

TEST_P(InformerTest, SelectsItsNamespace) {
  Put("a");
  ASSERT_TRUE(client.Create(api::kPods, Pod("elsewhere", "", "other")));
  Create({.ns = "ns"});
  Start();
  ASSERT_TRUE(client.Create(api::kPods, Pod("later", "", "other")));
  Put("b");
  stepper.RunUntilIdle();
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "synced", "+b"));
}

TEST_P(InformerTest, StoppedInformerKeepsItsObjectsAndEndsItsWatch) {
  Put("a");
  Create();
  Start();
  TakeSeen();
  Put("b");
  informer->Stop();
  stepper.RunFor(1min);
  EXPECT_THAT(TakeSeen(), ElementsAre());
  EXPECT_TRUE(informer->Get({"ns", "a"}));
  EXPECT_EQ(client.open_watches(), 0u);
}

struct StreamTest : InformerTest {};
INSTANTIATE_TEST_SUITE_P(Stream, StreamTest, testing::Values(true));

TEST_P(StreamTest, NeedsNoList) {
  Put("a");
  Create();
  Start();
  EXPECT_EQ(client.lists(), 0);
}

TEST_P(StreamTest, FallsBackWhenTheServerRefuses) {
  client.supports_streaming = false;
  Put("a");
  Create();
  Start();
  EXPECT_THAT(TakeSeen(), ElementsAre("+a", "synced"));
  EXPECT_EQ(client.lists(), 1);
}

// Takes requests for streamed lists and treats them as plain watches, as a proxy might.
class Forgetful final : public Client {
 public:
  explicit Forgetful(Client& inner) : inner_(inner) {}
  base::Result<Value> Get(const Resource& r, const ObjectKey& k, const GetOptions& o) override {
    return inner_.Get(r, k, o);
  }
  base::Result<ObjectList> List(const Resource& r, const ListOptions& o) override {
    return inner_.List(r, o);
  }
  base::Result<std::unique_ptr<Watch>> StartWatch(const Resource& r, const WatchOptions& o,
                                                  WatchSink& sink) override {
    WatchOptions options = o;
    options.send_initial_events = false;
    return inner_.StartWatch(r, options, sink);
  }
  base::Result<Value> Create(const Resource&, const Value&, const WriteOptions&) override {
    return base::Unimplemented("create");
  }
  base::Result<Value> Update(const Resource&, const Value&, const WriteOptions&) override {
    return base::Unimplemented("update");
  }
  base::Result<Value> Patch(const Resource&, const ObjectKey&, PatchType, const Value&,
                            const WriteOptions&) override {
    return base::Unimplemented("patch");
  }
  base::Status Delete(const Resource&, const ObjectKey&, const DeleteOptions&) override {
    return base::Unimplemented("delete");
  }
  base::Status DeleteCollection(const Resource&, const ListOptions&,
                                const DeleteOptions&) override {
    return base::Unimplemented("deletecollection");
  }
  base::Result<Value> GetPath(std::string_view) override { return base::Unimplemented("path"); }

 private:
  Client& inner_;
};

TEST(Reflector, GivesUpOnAStreamThatNeverEnds) {
  FakeClient client;
  Forgetful forgetful(client);
  Stepper stepper;
  ASSERT_TRUE(client.Create(api::kPods, Pod("a")));
  ReflectedInformer informer(forgetful, stepper, api::kPods, {.streaming_lists = true});
  informer.Start({});
  stepper.RunFor(29s);
  EXPECT_FALSE(informer.Synced());
  stepper.RunFor(2s);
  EXPECT_TRUE(informer.Synced());
  EXPECT_EQ(informer.size(), 1u);
}

TEST(ResyncTest, TellsOfEveryObjectAgainWhereAskedTo) {
  for (const base::Duration resync : {base::Duration::zero(), base::Duration(10min)}) {
    FakeClient client;
    Stepper stepper;
    ASSERT_TRUE(client.Create(api::kPods, Pod("a")));
    ReflectedInformer informer(client, stepper, api::kPods, {.resync = resync});
    std::vector<std::string> seen;
    informer.AddHandler([&](const Change& change) { seen.push_back(Describe(change)); });
    informer.Start({});
    stepper.RunFor(25min);
    EXPECT_EQ(seen.size(), resync > base::Duration::zero() ? 3u : 1u) << "off unless asked for";
    EXPECT_EQ(informer.size(), 1u);
  }
}

TEST(Reflector, FloodCutsTheWatchAndLosesNothing) {
  FakeClient client;
  Stepper stepper;
  ReflectedInformer informer(client, stepper, api::kPods,
                             {.streaming_lists = false, .max_backlog = 10});
  informer.Start({});
  stepper.RunUntilIdle();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(client.Create(api::kPods, Pod(std::to_string(i))));
  EXPECT_TRUE(stepper.RunUntil([&] { return informer.size() == 50; }, 10min));
}

TEST(InformerCache, SharesInformersAndStartsLaterOnesAtOnce) {
  FakeClient client;
  Stepper stepper;
  int synced = 0;
  InformerCache cache(client, stepper, {}, [&] { ++synced; });
  Informer& pods = cache.InformerFor(api::kPods, {});
  EXPECT_EQ(&pods, &cache.InformerFor(api::kPods, {}));
  EXPECT_FALSE(cache.Synced());
  cache.Start();
  stepper.RunUntilIdle();
  EXPECT_TRUE(cache.Synced());
  cache.InformerFor(api::kNodes, {});
  EXPECT_FALSE(cache.Synced());
  stepper.RunUntilIdle();
  EXPECT_TRUE(cache.Synced());
  EXPECT_EQ(synced, 2);
}

TEST(InformerThreads, ReadersAndWriterAtOnce) {
  FakeClient client;
  ThreadExecutor executor({.max_threads = 4});
  ReflectedInformer informer(client, executor, api::kPods, {});
  informer.AddIndex("all", [](const Value&) { return std::vector<std::string>{"x"}; });
  std::promise<void> done;
  informer.AddHandler([&](const Change& change) {
    if (Name(change.object) == "last") done.set_value();
  });
  informer.Start({});
  std::thread reader([&] {
    for (int i = 0; i < 200; ++i) {
      informer.List("");
      informer.ByIndex("all", "x");
      informer.Get({"ns", "5"});
    }
  });
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(client.Create(api::kPods, Pod(std::to_string(i))));
  client.CutWatches();
  ASSERT_TRUE(client.Delete(api::kPods, {"ns", "5"}));
  ASSERT_TRUE(client.Create(api::kPods, Pod("last")));
  done.get_future().wait();
  reader.join();
  EXPECT_EQ(informer.size(), 200u);
}

}  // namespace
}  // namespace coppice::kube
