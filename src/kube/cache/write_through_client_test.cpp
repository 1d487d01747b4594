#include "kube/cache/write_through_client.h"

#include <gtest/gtest.h>

#include "api/edit/any.h"
#include "api/well_known.h"
#include "kube/client/fake_client_testing.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "kube/process/manager.h"

namespace coppice::kube {
namespace {

using json::Value;

Value LabelledMap(std::string_view name, std::string_view label = "") {
  Value object = NewObject(api::kConfigMaps, "ns", name);
  if (!label.empty()) edit::any::Object(object).metadata().labels().Set("app", label);
  return object;
}

class WriteThroughClientTest : public testing::Test {
 protected:
  void Start(const InformerOptions& options = {}) {
    informer = &manager->runtime().cache.InformerFor(api::kConfigMaps, options);
    informer->AddHandler([this](const Change&) { ++changes; });
    manager->Start();
    stepper.RunUntilIdle();
  }
  Client& client() { return manager->runtime().client; }
  bool Shows(const std::string& name) const { return informer->Get({"ns", name}).has_value(); }

  FakeClient server;
  Stepper stepper;
  std::unique_ptr<Manager> manager = Manager::Make(server, stepper);
  Informer* informer = nullptr;
  int changes = 0;
};

// Nothing runs on the stepper, so the watch delivers nothing.
TEST_F(WriteThroughClientTest, TheCacheShowsWritesAtOnce) {
  Start();
  ASSERT_TRUE(client().Create(api::kConfigMaps, LabelledMap("a")));
  EXPECT_TRUE(Shows("a"));
  ASSERT_TRUE(client().Update(api::kConfigMaps, LabelledMap("a", "updated")));
  EXPECT_EQ(Label(*informer->Get({"ns", "a"}), "app"), "updated");
  Value patch;
  edit::any::Object(patch).metadata().labels().Set("app", "patched");
  ASSERT_TRUE(client().Patch(api::kConfigMaps, {"ns", "a"}, PatchType::kMerge, patch));
  EXPECT_EQ(Label(*informer->Get({"ns", "a"}), "app"), "patched");
  ASSERT_TRUE(client().Delete(api::kConfigMaps, {"ns", "a"}));
  EXPECT_TRUE(IsDeleting(*informer->Get({"ns", "a"})));
  EXPECT_EQ(changes, 0) << "handlers are told by the watch";
  stepper.RunUntilIdle();
  EXPECT_FALSE(Shows("a"));
  EXPECT_EQ(changes, 4);
}

// Trimming a pod costs more than finding it.
TEST_F(WriteThroughClientTest, TheWatchDoesNotTrimWhatTheWriteHasTrimmed) {
  int trimmed = 0;
  InformerOptions options;
  options.trim = [&trimmed](Value object) {
    ++trimmed;
    edit::any::Object(object).metadata().labels().Set("app", "trimmed");
    return object;
  };
  Start(options);
  ASSERT_TRUE(client().Create(api::kConfigMaps, LabelledMap("a", "whole")));
  stepper.RunUntilIdle();
  EXPECT_EQ(trimmed, 1);
  EXPECT_EQ(Label(*informer->Get({"ns", "a"}), "app"), "trimmed");
  // Another version of it, and one that is shown as deleting.
  ASSERT_TRUE(client().Update(api::kConfigMaps, LabelledMap("a", "whole")));
  ASSERT_TRUE(server.Update(api::kConfigMaps, LabelledMap("a", "other")));
  ASSERT_TRUE(client().Delete(api::kConfigMaps, {"ns", "a"}));
  stepper.RunUntilIdle();
  EXPECT_FALSE(Shows("a"));
}

TEST_F(WriteThroughClientTest, WhatOthersWriteComesByTheWatch) {
  Start();
  ASSERT_TRUE(server.Create(api::kConfigMaps, LabelledMap("a")));
  EXPECT_FALSE(Shows("a"));
  stepper.RunUntilIdle();
  EXPECT_TRUE(Shows("a"));
}

TEST_F(WriteThroughClientTest, WritesBeforeTheFirstListAreShownToo) {
  informer = &manager->runtime().cache.InformerFor(api::kConfigMaps);
  ASSERT_TRUE(client().Create(api::kConfigMaps, LabelledMap("a")));
  EXPECT_TRUE(Shows("a"));
  manager->Start();
  stepper.RunUntilIdle();
  EXPECT_TRUE(Shows("a"));
  ASSERT_TRUE(server.Delete(api::kConfigMaps, {"ns", "a"}));
  stepper.RunUntilIdle();
  EXPECT_FALSE(Shows("a"));
}

TEST_F(WriteThroughClientTest, ARejectedWriteChangesNothing) {
  Start();
  ASSERT_TRUE(client().Create(api::kConfigMaps, LabelledMap("a", "first")));
  server.FailNext(3, base::Conflict("somebody else was faster"));
  EXPECT_FALSE(client().Update(api::kConfigMaps, LabelledMap("a", "second")));
  EXPECT_FALSE(client().Delete(api::kConfigMaps, {"ns", "a"}));
  EXPECT_FALSE(client().Create(api::kConfigMaps, LabelledMap("b")));
  EXPECT_EQ(Label(*informer->Get({"ns", "a"}), "app"), "first");
  EXPECT_FALSE(IsDeleting(*informer->Get({"ns", "a"})));
  EXPECT_FALSE(Shows("b"));
}

TEST_F(WriteThroughClientTest, ADeletionOfWhatIsGoneShowsThatItIs) {
  Start();
  ASSERT_TRUE(server.Create(api::kConfigMaps, LabelledMap("a")));
  stepper.RunUntilIdle();
  ASSERT_TRUE(server.Delete(api::kConfigMaps, {"ns", "a"}));
  EXPECT_TRUE(client().Delete(api::kConfigMaps, {"ns", "a"}).Is(base::ErrorCode::kNotFound));
  EXPECT_TRUE(IsDeleting(*informer->Get({"ns", "a"})));
  stepper.RunUntilIdle();
  EXPECT_FALSE(Shows("a"));
}

TEST_F(WriteThroughClientTest, DryRunsAreNotShown) {
  Start();
  ASSERT_TRUE(client().Create(api::kConfigMaps, LabelledMap("a"), {.dry_run = true}));
  EXPECT_FALSE(Shows("a"));
}

TEST_F(WriteThroughClientTest, AnInformerShowsOnlyWhatItSelectsAndKeeps) {
  Start({.label_selector = "app=ours", .trim = [](Value object) {
           object.Erase("data");
           return object;
         }});
  ASSERT_TRUE(client().Create(api::kConfigMaps, LabelledMap("theirs", "other")));
  Value ours = LabelledMap("ours", "ours");
  ours.Set("data", Value::Object({{"a", "b"}}));
  ASSERT_TRUE(client().Create(api::kConfigMaps, ours));
  EXPECT_FALSE(Shows("theirs"));
  ASSERT_TRUE(Shows("ours"));
  EXPECT_FALSE(informer->Get({"ns", "ours"})->Has("data"));
}

// A reconciler that looks again before its watch has moved creates nothing twice.
TEST_F(WriteThroughClientTest, SurvivesACutWatchAndANewList) {
  Start();
  ASSERT_TRUE(client().Create(api::kConfigMaps, LabelledMap("a")));
  server.CutWatches();
  server.Compact();
  EXPECT_TRUE(Shows("a"));
  stepper.RunFor(std::chrono::seconds(60));
  EXPECT_TRUE(Shows("a"));
  ASSERT_TRUE(server.Delete(api::kConfigMaps, {"ns", "a"}));
  stepper.RunUntilIdle();
  EXPECT_FALSE(Shows("a"));
}

}  // namespace
}  // namespace coppice::kube
