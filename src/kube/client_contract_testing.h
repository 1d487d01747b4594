#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "api/well_known.h"
#include "kube/client.h"
#include "kube/object.h"

// What every kube::Client must do, whatever is behind it. Header only, so that each layer with an
// implementation can run it:
//
//   class MyContract : public testing::TestWithParam<kube::contract::Case> {};
//   TEST_P(MyContract, Holds) { … kube::contract::Run(GetParam(), {.client = …, …}); }
//   INSTANTIATE_TEST_SUITE_P(All, MyContract, testing::ValuesIn(kube::contract::Cases()),
//                            kube::contract::CaseName);
namespace coppice::kube::contract {

// The world that a case runs in.
struct World {
  Client& client;
  // Brings about what happens by itself (watch events, controllers) until `done`; false when that
  // takes too long.
  std::function<bool(const std::function<bool()>& done)> eventually;
  // A name that no other case uses; the namespace is made by Run.
  std::string ns;
};

struct Case {
  const char* name;
  void (*run)(World& world);
};

inline std::string CaseName(const testing::TestParamInfo<Case>& info) { return info.param.name; }
inline void PrintTo(const Case& test_case, std::ostream* out) { *out << test_case.name; }

// Collects what a watch says. Thread-safe.
class Recorder final : public WatchSink {
 public:
  void OnEvent(WatchEvent event) override {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  void OnEnd(base::Error reason) override {
    std::lock_guard lock(mutex_);
    end_ = std::move(reason);
  }
  std::vector<WatchEvent> events() const {
    std::lock_guard lock(mutex_);
    return events_;
  }
  // Without bookmarks: "ADDED a".
  std::vector<std::string> Summary() const {
    static constexpr const char* kNames[] = {"ADDED ", "MODIFIED ", "DELETED "};
    std::vector<std::string> lines;
    for (const WatchEvent& event : events()) {
      if (event.type == EventType::kBookmark) continue;
      lines.push_back(kNames[static_cast<int>(event.type)] + std::string(Name(event.object)));
    }
    return lines;
  }
  std::optional<base::Error> end() const {
    std::lock_guard lock(mutex_);
    return end_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<WatchEvent> events_;
  std::optional<base::Error> end_;
};

inline json::Value ConfigMap(const World& world, std::string_view name,
                             std::string_view value = "1") {
  json::Value map = NewObject(api::kConfigMaps, world.ns, name);
  map.Mutable("data").Set("key", value);
  return map;
}

inline json::Value Labelled(json::Value object, std::string_view key, std::string_view value) {
  object.Mutable("metadata").Mutable("labels").Set(key, value);
  return object;
}

inline json::Value PodTemplate(std::string_view app) {
  using json::Value;
  return Value::Object(
      {{"metadata", Value::Object({{"labels", Value::Object({{"app", app}})}})},
       {"spec",
        Value::Object({{"containers", Value::Array({Value::Object(
                                          {{"name", "main"}, {"image", "example.com/a:1"}})})}})}});
}

inline json::Value Pod(const World& world, std::string_view name) {
  json::Value pod = NewObject(api::kPods, world.ns, name);
  pod.Set("spec", PodTemplate(name)["spec"]);
  return pod;
}

inline json::Value Deployment(const World& world, std::string_view name) {
  using json::Value;
  Value deployment = NewObject(api::kDeployments, world.ns, name);
  deployment.Set(
      "spec",
      Value::Object({{"replicas", 2},
                     {"selector", Value::Object({{"matchLabels", Value::Object({{"app", name}})}})},
                     {"template", PodTemplate(name)}}));
  return deployment;
}

inline std::vector<std::string> Names(const ObjectList& list) {
  std::vector<std::string> names;
  for (const json::Value& item : list.items) names.emplace_back(Name(item));
  return names;
}

// A value that must be there for the case to go on.
#define COPPICE_CONTRACT_VALUE(declaration, expression)                 \
  auto COPPICE_CONCAT(contract_result_, __LINE__) = (expression);       \
  ASSERT_TRUE(COPPICE_CONCAT(contract_result_, __LINE__))               \
      << COPPICE_CONCAT(contract_result_, __LINE__).error().ToString(); \
  declaration = *std::move(COPPICE_CONCAT(contract_result_, __LINE__))

#define COPPICE_CONTRACT_OK(expression)                                 \
  do {                                                                  \
    const auto contract_result = (expression);                          \
    ASSERT_TRUE(contract_result) << contract_result.error().ToString(); \
  } while (false)

#define COPPICE_CONTRACT_FAILS(expected, expression)           \
  do {                                                         \
    const auto contract_result = (expression);                 \
    ASSERT_FALSE(contract_result) << #expression " must fail"; \
    EXPECT_EQ(base::ToString(contract_result.error().code()),  \
              base::ToString(base::ErrorCode::expected))       \
        << contract_result.error().ToString();                 \
  } while (false)

inline void CreatesReadsAndDeletes(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  EXPECT_FALSE(Uid(made).empty());
  EXPECT_FALSE(ResourceVersion(made).empty());
  EXPECT_FALSE(made["metadata"]["creationTimestamp"].AsString().empty());
  EXPECT_EQ(made["kind"].AsString(), "ConfigMap");
  EXPECT_EQ(made["apiVersion"].AsString(), "v1");
  COPPICE_CONTRACT_VALUE(const json::Value read,
                         world.client.Get(api::kConfigMaps, {world.ns, "a"}));
  EXPECT_EQ(read, made);
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, {world.ns, "a"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kConfigMaps, {world.ns, "a"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Delete(api::kConfigMaps, {world.ns, "a"}));
}

inline void RefusesToCreateTwice(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_FAILS(kAlreadyExists,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
}

inline void GeneratesNames(World& world) {
  json::Value map = ConfigMap(world, "");
  map.Mutable("metadata").Erase("name");
  map.Mutable("metadata").Set("generateName", "some-");
  COPPICE_CONTRACT_VALUE(const json::Value first, world.client.Create(api::kConfigMaps, map));
  COPPICE_CONTRACT_VALUE(const json::Value second, world.client.Create(api::kConfigMaps, map));
  EXPECT_THAT(std::string(Name(first)), testing::StartsWith("some-"));
  EXPECT_EQ(Name(first).size(), 10u);
  EXPECT_NE(Name(first), Name(second));
}

inline void NamesTheFieldThatIsWrong(World& world) {
  const auto made = world.client.Create(api::kConfigMaps, ConfigMap(world, "Not_A_Name"));
  ASSERT_TRUE(made.Is(base::ErrorCode::kInvalid));
  ASSERT_FALSE(made.error().causes().empty());
  EXPECT_EQ(made.error().causes()[0].field, "metadata.name");
  EXPECT_EQ(made.error().causes()[0].reason, "FieldValueInvalid");
}

inline void RefusesUnknownNamespaces(World& world) {
  json::Value map = ConfigMap(world, "a");
  map.Mutable("metadata").Set("namespace", world.ns + "-other");
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Create(api::kConfigMaps, map));
}

inline void RefusesWrongTypes(World& world) {
  json::Value map = ConfigMap(world, "a");
  map.Set("data", "text");
  COPPICE_CONTRACT_FAILS(kInvalidArgument, world.client.Create(api::kConfigMaps, map));
}

inline void GuardsUpdatesByVersion(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  json::Value changed = made;
  changed.Mutable("data").Set("key", "2");
  COPPICE_CONTRACT_VALUE(const json::Value updated, world.client.Update(api::kConfigMaps, changed));
  EXPECT_NE(ResourceVersion(updated), ResourceVersion(made));
  EXPECT_EQ(Uid(updated), Uid(made));
  COPPICE_CONTRACT_FAILS(kConflict, world.client.Update(api::kConfigMaps, changed));
  changed.Mutable("metadata").Erase("resourceVersion");
  changed.Mutable("data").Set("key", "3");
  COPPICE_CONTRACT_VALUE(const json::Value forced, world.client.Update(api::kConfigMaps, changed));
  EXPECT_EQ(forced["data"]["key"].AsString(), "3");
}

inline void KeepsTheVersionWhenNothingChanges(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_VALUE(const json::Value same, world.client.Update(api::kConfigMaps, made));
  EXPECT_EQ(ResourceVersion(same), ResourceVersion(made));
}

inline void RefusesToUpdateWhatIsMissing(World& world) {
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Update(api::kConfigMaps, ConfigMap(world, "a")));
}

inline void ListsInPages(World& world) {
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, name)));
  }
  const std::string only_ours = "metadata.name!=kube-root-ca.crt";
  ListOptions options{.ns = world.ns, .field_selector = only_ours, .limit = 3};
  std::vector<std::string> names;
  std::string version;
  int pages = 0;
  do {
    COPPICE_CONTRACT_VALUE(const ObjectList page, world.client.List(api::kConfigMaps, options));
    EXPECT_FALSE(page.resource_version.empty());
    if (pages > 0) {
      EXPECT_EQ(page.resource_version, version);
    }
    version = page.resource_version;
    for (const std::string& name : Names(page)) names.push_back(name);
    options.continue_token = page.continue_token;
    // The following pages show the state of the first one.
    if (pages++ == 0) {
      COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "zz")));
    }
  } while (!options.continue_token.empty() && pages < 10);
  EXPECT_GE(pages, 3);
  EXPECT_THAT(names, testing::ElementsAre("a", "b", "c", "d", "e", "f", "g"));
}

inline void ListsObjectsWithTheirTypes(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kDeployments, Deployment(world, "a")));
  COPPICE_CONTRACT_VALUE(const ObjectList list,
                         world.client.List(api::kDeployments, {.ns = world.ns}));
  ASSERT_EQ(list.items.size(), 1u);
  EXPECT_EQ(list.items[0]["kind"].AsString(), "Deployment");
  EXPECT_EQ(list.items[0]["apiVersion"].AsString(), "apps/v1");
}

inline void ListsAllNamespaces(World& world) {
  COPPICE_CONTRACT_OK(
      world.client.Create(api::kConfigMaps, Labelled(ConfigMap(world, "a"), "contract", world.ns)));
  COPPICE_CONTRACT_VALUE(
      const ObjectList list,
      world.client.List(api::kConfigMaps, {.label_selector = "contract=" + world.ns}));
  EXPECT_THAT(Names(list), testing::ElementsAre("a"));
}

inline void SelectsByLabel(World& world) {
  for (const auto& [name, tier] : std::vector<std::pair<const char*, const char*>>{
           {"a", "front"}, {"b", "back"}, {"c", "cache"}}) {
    COPPICE_CONTRACT_OK(
        world.client.Create(api::kConfigMaps, Labelled(ConfigMap(world, name), "tier", tier)));
  }
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "none")));
  const auto select = [&](const char* selector) {
    const auto list =
        world.client.List(api::kConfigMaps, {.ns = world.ns,
                                             .label_selector = selector,
                                             .field_selector = "metadata.name!=kube-root-ca.crt"});
    return list ? Names(*list) : std::vector<std::string>{list.error().ToString()};
  };
  using testing::ElementsAre;
  EXPECT_THAT(select("tier=front"), ElementsAre("a"));
  EXPECT_THAT(select("tier==front"), ElementsAre("a"));
  EXPECT_THAT(select("tier!=front"), ElementsAre("b", "c", "none"));
  EXPECT_THAT(select("tier in (front,back)"), ElementsAre("a", "b"));
  EXPECT_THAT(select("tier notin (front, back)"), ElementsAre("c", "none"));
  EXPECT_THAT(select("tier"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(select("!tier"), ElementsAre("none"));
  EXPECT_THAT(select("tier,tier!=back"), ElementsAre("a", "c"));
}

inline void SelectsByField(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  json::Value bound = Pod(world, "b");
  bound.Mutable("spec").Set("nodeName", "node-1");
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, bound));
  const auto select = [&](const char* selector) {
    const auto list = world.client.List(api::kPods, {.ns = world.ns, .field_selector = selector});
    return list ? Names(*list) : std::vector<std::string>{list.error().ToString()};
  };
  using testing::ElementsAre;
  EXPECT_THAT(select("metadata.name=a"), ElementsAre("a"));
  EXPECT_THAT(select("spec.nodeName=node-1"), ElementsAre("b"));
  EXPECT_THAT(select("spec.nodeName="), ElementsAre("a"));
  EXPECT_THAT(select("status.phase=Pending,spec.nodeName!=node-1"), ElementsAre("a"));
}

inline void RefusesBadSelectors(World& world) {
  COPPICE_CONTRACT_FAILS(
      kInvalidArgument,
      world.client.List(api::kPods, {.ns = world.ns, .label_selector = "a in (b"}));
  COPPICE_CONTRACT_FAILS(
      kInvalidArgument,
      world.client.List(api::kPods, {.ns = world.ns, .field_selector = "spec.unknown=x"}));
}

inline void WatchesChangesInOrder(World& world) {
  COPPICE_CONTRACT_VALUE(const ObjectList start,
                         world.client.List(api::kConfigMaps, {.ns = world.ns}));
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kConfigMaps,
                              {.ns = world.ns,
                               .field_selector = "metadata.name!=kube-root-ca.crt",
                               .resource_version = start.resource_version},
                              recorder));
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_OK(world.client.Update(api::kConfigMaps, Labelled(made, "x", "1")));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "b")));
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, {world.ns, "a"}));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 4; }));
  EXPECT_THAT(recorder.Summary(),
              testing::ElementsAre("ADDED a", "MODIFIED a", "ADDED b", "DELETED a"));
  uint64_t last = 0;
  for (const WatchEvent& event : recorder.events()) {
    const uint64_t version = std::stoull(std::string(ResourceVersion(event.object)));
    EXPECT_GT(version, last);
    last = version;
    EXPECT_EQ(event.object["kind"].AsString(), "ConfigMap");
  }
}

inline void ResumesAWatchWithoutGaps(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value first,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "b")));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "c")));
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kConfigMaps,
                              {.ns = world.ns,
                               .field_selector = "metadata.name!=kube-root-ca.crt",
                               .resource_version = std::string(ResourceVersion(first))},
                              recorder));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 2; }));
  EXPECT_THAT(recorder.Summary(), testing::ElementsAre("ADDED b", "ADDED c"));
}

inline void WatchesWhatEntersAndLeavesASelection(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kConfigMaps,
                              {.ns = world.ns,
                               .label_selector = "on",
                               .resource_version = std::string(ResourceVersion(made))},
                              recorder));
  COPPICE_CONTRACT_VALUE(json::Value on,
                         world.client.Update(api::kConfigMaps, Labelled(made, "on", "1")));
  on.Mutable("metadata").Erase("labels");
  COPPICE_CONTRACT_OK(world.client.Update(api::kConfigMaps, on));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 2; }));
  EXPECT_THAT(recorder.Summary(), testing::ElementsAre("ADDED a", "DELETED a"));
}

inline bool IsInitialEnd(const WatchEvent& event) {
  return event.type == EventType::kBookmark &&
         Annotation(event.object, "k8s.io/initial-events-end") == "true";
}

inline void StreamsInitialLists(World& world) {
  for (const char* name : {"a", "b"}) {
    COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, name)));
  }
  Recorder recorder;
  COPPICE_CONTRACT_VALUE(
      const std::unique_ptr<Watch> watch,
      world.client.StartWatch(api::kPods, {.ns = world.ns, .send_initial_events = true}, recorder));
  ASSERT_TRUE(world.eventually([&] {
    const auto events = recorder.events();
    return std::any_of(events.begin(), events.end(), IsInitialEnd);
  }));
  const auto events = recorder.events();
  EXPECT_THAT(recorder.Summary(), testing::UnorderedElementsAre("ADDED a", "ADDED b"));
  ASSERT_TRUE(IsInitialEnd(events.back()));
  EXPECT_FALSE(ResourceVersion(events.back().object).empty());
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "c")));
  ASSERT_TRUE(world.eventually([&] { return recorder.Summary().size() >= 3; }));
  EXPECT_EQ(recorder.Summary().back(), "ADDED c");
}

inline void StopsAWatchForGood(World& world) {
  COPPICE_CONTRACT_VALUE(const ObjectList start,
                         world.client.List(api::kConfigMaps, {.ns = world.ns}));
  Recorder stopped, running;
  const WatchOptions options{.ns = world.ns, .resource_version = start.resource_version};
  COPPICE_CONTRACT_VALUE(std::unique_ptr<Watch> first,
                         world.client.StartWatch(api::kConfigMaps, options, stopped));
  COPPICE_CONTRACT_VALUE(const std::unique_ptr<Watch> second,
                         world.client.StartWatch(api::kConfigMaps, options, running));
  first.reset();
  const size_t seen = stopped.events().size();
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  ASSERT_TRUE(world.eventually([&] {
    const auto summary = running.Summary();
    return std::find(summary.begin(), summary.end(), "ADDED a") != summary.end();
  }));
  EXPECT_EQ(stopped.events().size(), seen);
  EXPECT_FALSE(stopped.end());
}

inline void PatchesWithJsonPatch(World& world) {
  using json::Value;
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  const ObjectKey key{world.ns, "a"};
  const auto operation = [](const char* op, const char* path, const char* value) {
    return Value::Object({{"op", op}, {"path", path}, {"value", value}});
  };
  COPPICE_CONTRACT_VALUE(const Value patched,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kJson,
                                            Value::Array({operation("test", "/data/key", "1"),
                                                          operation("replace", "/data/key", "2"),
                                                          operation("add", "/data/other", "3")})));
  EXPECT_EQ(patched["data"], Value::Object({{"key", "2"}, {"other", "3"}}));
  COPPICE_CONTRACT_FAILS(
      kInvalid, world.client.Patch(api::kConfigMaps, key, PatchType::kJson,
                                   Value::Array({operation("test", "/data/key", "wrong")})));
}

inline void PatchesWithMergePatch(World& world) {
  using json::Value;
  COPPICE_CONTRACT_VALUE(const Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  const ObjectKey key{world.ns, "a"};
  const Value patch = Value::Object({{"data", Value::Object({{"key", nullptr}, {"new", "x"}})}});
  COPPICE_CONTRACT_VALUE(const Value patched,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kMerge, patch));
  EXPECT_EQ(patched["data"], Value::Object({{"new", "x"}}));
  Value guarded = patch;
  guarded.Mutable("metadata").Set("resourceVersion", ResourceVersion(made));
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kMerge, guarded));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Patch(api::kConfigMaps, {world.ns, "none"},
                                                       PatchType::kMerge, patch));
}

inline void PatchesListsByTheirKeys(World& world) {
  using json::Value;
  COPPICE_CONTRACT_OK(world.client.Create(api::kDeployments, Deployment(world, "a")));
  const Value container = Value::Object({{"name", "side"}, {"image", "example.com/b:1"}});
  const Value patch = Value::Object(
      {{"spec", Value::Object(
                    {{"template",
                      Value::Object({{"spec", Value::Object({{"containers",
                                                              Value::Array({container})}})}})}})}});
  COPPICE_CONTRACT_VALUE(const Value patched, world.client.Patch(api::kDeployments, {world.ns, "a"},
                                                                 PatchType::kStrategic, patch));
  std::vector<std::string> names;
  for (const Value& item : patched["spec"]["template"]["spec"]["containers"].Items()) {
    names.push_back(item["name"].ToString());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("main", "side"));
}

inline json::Value Applied(const World& world, std::string_view name,
                           std::vector<json::Member> data) {
  json::Value map = NewObject(api::kConfigMaps, world.ns, name);
  map.Set("data", json::Value::Object(std::move(data)));
  return map;
}

inline void AppliesAndRemovesOwnFields(World& world) {
  using json::Value;
  const ObjectKey key{world.ns, "a"};
  const WriteOptions manager{.field_manager = "one"};
  COPPICE_CONTRACT_VALUE(
      const Value made, world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                           Applied(world, "a", {{"x", "1"}, {"y", "1"}}), manager));
  EXPECT_FALSE(Uid(made).empty());
  const Value& managed = made["metadata"]["managedFields"].At(0);
  EXPECT_EQ(managed["manager"].AsString(), "one");
  EXPECT_EQ(managed["operation"].AsString(), "Apply");
  EXPECT_TRUE(managed["fieldsV1"]["f:data"].Has("f:x"));
  COPPICE_CONTRACT_VALUE(const Value again,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                            Applied(world, "a", {{"x", "1"}}), manager));
  EXPECT_EQ(again["data"], Value::Object({{"x", "1"}}));
  COPPICE_CONTRACT_VALUE(const Value same,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                            Applied(world, "a", {{"x", "1"}}), manager));
  EXPECT_EQ(ResourceVersion(same), ResourceVersion(again)) << "nothing changed";
}

inline void RefusesToApplyOverOthers(World& world) {
  using json::Value;
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_OK(world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                         Applied(world, "a", {{"x", "1"}}),
                                         {.field_manager = "one"}));
  const auto refused =
      world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                         Applied(world, "a", {{"x", "2"}}), {.field_manager = "two"});
  ASSERT_TRUE(refused.Is(base::ErrorCode::kConflict));
  ASSERT_EQ(refused.error().causes().size(), 1u);
  EXPECT_EQ(refused.error().causes()[0].reason, "FieldManagerConflict");
  EXPECT_EQ(refused.error().causes()[0].field, ".data.x");
  COPPICE_CONTRACT_VALUE(const Value forced,
                         world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                            Applied(world, "a", {{"x", "2"}}),
                                            {.field_manager = "two", .force = true}));
  EXPECT_EQ(forced["data"]["x"].AsString(), "2");
  // Equal values are shared, not fought over.
  COPPICE_CONTRACT_OK(world.client.Patch(api::kConfigMaps, key, PatchType::kApply,
                                         Applied(world, "a", {{"x", "2"}}),
                                         {.field_manager = "three"}));
}

inline void GuardsDeletesByPrecondition(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_FAILS(
      kConflict,
      world.client.Delete(api::kConfigMaps, key, {.uid = "00000000-0000-4000-8000-000000000000"}));
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Delete(api::kConfigMaps, key, {.resource_version = "1"}));
  COPPICE_CONTRACT_OK(world.client.Delete(
      api::kConfigMaps, key,
      {.uid = std::string(Uid(made)), .resource_version = std::string(ResourceVersion(made))}));
}

inline void WaitsForFinalizers(World& world) {
  json::Value map = ConfigMap(world, "a");
  map.Mutable("metadata").Set("finalizers", json::Value::Array({"example.com/hold"}));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, map));
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, key));
  COPPICE_CONTRACT_VALUE(json::Value deleting, world.client.Get(api::kConfigMaps, key));
  EXPECT_TRUE(IsDeleting(deleting));
  deleting.Mutable("metadata").Erase("finalizers");
  COPPICE_CONTRACT_OK(world.client.Update(api::kConfigMaps, deleting));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kConfigMaps, key));
}

inline void DeletesCollections(World& world) {
  for (const char* name : {"a", "b"}) {
    COPPICE_CONTRACT_OK(
        world.client.Create(api::kConfigMaps, Labelled(ConfigMap(world, name), "old", "1")));
  }
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "keep")));
  COPPICE_CONTRACT_OK(
      world.client.DeleteCollection(api::kConfigMaps, {.ns = world.ns, .label_selector = "old"}));
  COPPICE_CONTRACT_VALUE(
      const ObjectList left,
      world.client.List(api::kConfigMaps,
                        {.ns = world.ns, .field_selector = "metadata.name!=kube-root-ca.crt"}));
  EXPECT_THAT(Names(left), testing::ElementsAre("keep"));
}

inline void SeparatesStatusFromSpec(World& world) {
  COPPICE_CONTRACT_VALUE(json::Value pod, world.client.Create(api::kPods, Pod(world, "a")));
  pod.Mutable("status").Set("phase", "Running");
  COPPICE_CONTRACT_VALUE(const json::Value ignored,
                         world.client.Update(api::kPods, Labelled(pod, "x", "1")));
  EXPECT_EQ(ignored["status"]["phase"].AsString(), "Pending");
  json::Value running = ignored;
  running.Mutable("status").Set("phase", "Running");
  COPPICE_CONTRACT_VALUE(const json::Value updated,
                         world.client.Update(api::kPods, running, {.subresource = "status"}));
  EXPECT_EQ(updated["status"]["phase"].AsString(), "Running");
  const json::Value patch =
      json::Value::Object({{"status", json::Value::Object({{"reason", "Because"}})}});
  COPPICE_CONTRACT_VALUE(const json::Value patched,
                         world.client.Patch(api::kPods, {world.ns, "a"}, PatchType::kMerge, patch,
                                            {.subresource = "status"}));
  EXPECT_EQ(patched["status"]["reason"].AsString(), "Because");
  EXPECT_EQ(patched["status"]["phase"].AsString(), "Running");
}

inline void Scales(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kDeployments, Deployment(world, "a")));
  const ObjectKey key{world.ns, "a"};
  COPPICE_CONTRACT_VALUE(json::Value scale,
                         world.client.Get(api::kDeployments, key, {.subresource = "scale"}));
  EXPECT_EQ(scale["kind"].AsString(), "Scale");
  EXPECT_EQ(scale["spec"]["replicas"].AsInt(), 2);
  scale.Mutable("spec").Set("replicas", 5);
  COPPICE_CONTRACT_OK(world.client.Update(api::kDeployments, scale, {.subresource = "scale"}));
  COPPICE_CONTRACT_VALUE(const json::Value scaled, world.client.Get(api::kDeployments, key));
  EXPECT_EQ(scaled["spec"]["replicas"].AsInt(), 5);
}

inline json::Value Binding(const World& world, std::string_view pod, std::string_view node) {
  json::Value binding = NewObject({"", "v1", "bindings", "Binding", true}, world.ns, pod);
  binding.Set("target",
              json::Value::Object({{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}}));
  return binding;
}

inline void BindsOnce(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  const WriteOptions options{.subresource = "binding"};
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Binding(world, "a", "node-1"), options));
  COPPICE_CONTRACT_VALUE(const json::Value bound, world.client.Get(api::kPods, {world.ns, "a"}));
  EXPECT_EQ(bound["spec"]["nodeName"].AsString(), "node-1");
  EXPECT_TRUE(ConditionIs(bound, "PodScheduled", "True"));
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Create(api::kPods, Binding(world, "a", "node-2"), options));
  COPPICE_CONTRACT_FAILS(
      kNotFound, world.client.Create(api::kPods, Binding(world, "none", "node-1"), options));
}

inline void RefusesToBindAnotherPodOfTheName(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  json::Value binding = Binding(world, "a", "node-1");
  binding.Mutable("metadata").Set("uid", "00000000-0000-4000-8000-000000000000");
  COPPICE_CONTRACT_FAILS(kConflict,
                         world.client.Create(api::kPods, binding, {.subresource = "binding"}));
}

inline void HoldsGatedPods(World& world) {
  json::Value pod = Pod(world, "a");
  pod.Mutable("spec").Set("schedulingGates",
                          json::Value::Array({json::Value::Object({{"name", "example.com/g"}})}));
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, pod));
  const auto bound =
      world.client.Create(api::kPods, Binding(world, "a", "node-1"), {.subresource = "binding"});
  ASSERT_FALSE(bound);
  COPPICE_CONTRACT_VALUE(const json::Value held, world.client.Get(api::kPods, {world.ns, "a"}));
  EXPECT_TRUE(held["spec"]["nodeName"].AsString().empty());
}

inline void Evicts(World& world) {
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, Pod(world, "a")));
  const json::Value eviction =
      NewObject({"policy", "v1", "evictions", "Eviction", true}, world.ns, "a");
  COPPICE_CONTRACT_OK(world.client.Create(api::kPods, eviction, {.subresource = "eviction"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kPods, {world.ns, "a"}));
}

inline void TriesWithoutEffect(World& world) {
  const WriteOptions dry{.dry_run = true};
  COPPICE_CONTRACT_VALUE(const json::Value tried,
                         world.client.Create(api::kConfigMaps, ConfigMap(world, "a"), dry));
  EXPECT_EQ(Name(tried), "a");
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(api::kConfigMaps, {world.ns, "a"}));
  COPPICE_CONTRACT_OK(world.client.Create(api::kConfigMaps, ConfigMap(world, "a")));
  COPPICE_CONTRACT_OK(world.client.Delete(api::kConfigMaps, {world.ns, "a"}, {.dry_run = true}));
  COPPICE_CONTRACT_OK(world.client.Get(api::kConfigMaps, {world.ns, "a"}));
}

inline void RefusesUnknownFieldsWhenStrict(World& world) {
  json::Value pod = Pod(world, "a");
  pod.Mutable("spec").Set("noSuchField", 1);
  COPPICE_CONTRACT_FAILS(kInvalidArgument,
                         world.client.Create(api::kPods, pod, {.field_validation = "Strict"}));
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kPods, pod, {.field_validation = "Ignore"}));
  EXPECT_FALSE(made["spec"].Has("noSuchField"));
}

inline void CountsGenerations(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value made,
                         world.client.Create(api::kDeployments, Deployment(world, "a")));
  EXPECT_EQ(Generation(made), 1);
  const ObjectKey key{world.ns, "a"};
  const json::Value label = json::Value::Object(
      {{"metadata", json::Value::Object({{"labels", json::Value::Object({{"x", "1"}})}})}});
  COPPICE_CONTRACT_VALUE(const json::Value labelled,
                         world.client.Patch(api::kDeployments, key, PatchType::kMerge, label));
  EXPECT_EQ(Generation(labelled), 1);
  const json::Value replicas =
      json::Value::Object({{"spec", json::Value::Object({{"replicas", 7}})}});
  COPPICE_CONTRACT_VALUE(const json::Value scaled,
                         world.client.Patch(api::kDeployments, key, PatchType::kMerge, replicas));
  EXPECT_EQ(Generation(scaled), 2);
}

inline void KeepsImmutableFields(World& world) {
  COPPICE_CONTRACT_VALUE(json::Value pod, world.client.Create(api::kPods, Pod(world, "a")));
  pod.Mutable("spec").Set("hostNetwork", true);
  const auto refused = world.client.Update(api::kPods, pod);
  ASSERT_TRUE(refused.Is(base::ErrorCode::kInvalid)) << (refused ? "" : refused.error().ToString());
  ASSERT_FALSE(refused.error().causes().empty());
  EXPECT_THAT(refused.error().causes()[0].field, testing::StartsWith("spec"));
}

inline void AnswersPaths(World& world) {
  COPPICE_CONTRACT_VALUE(const json::Value version, world.client.GetPath("/version"));
  EXPECT_EQ(version["major"].AsString(), "1");
  COPPICE_CONTRACT_VALUE(const json::Value core, world.client.GetPath("/api/v1"));
  EXPECT_EQ(core["kind"].AsString(), "APIResourceList");
  COPPICE_CONTRACT_VALUE(const json::Value groups, world.client.GetPath("/apis"));
  EXPECT_EQ(groups["kind"].AsString(), "APIGroupList");
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.GetPath("/apis/example.com/v1"));
}

inline void RefusesUnknownResources(World& world) {
  const Resource unknown{"example.com", "v1", "things", "Thing", true};
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.Get(unknown, {world.ns, "a"}));
  COPPICE_CONTRACT_FAILS(kNotFound, world.client.List(unknown, {.ns = world.ns}));
}

// A resource of its own for each run of the case.
inline Resource CustomResource(const World& world) {
  return {world.ns + ".example.com", "v1", "gadgets", "Gadget", true};
}

inline json::Value CustomDefinition(const Resource& resource) {
  using json::Value;
  const Value integer = Value::Object({{"type", "integer"}});
  Value size = integer;
  size.Set("minimum", 1).Set("default", 3);
  const Value schema = Value::Object(
      {{"type", "object"},
       {"properties",
        Value::Object(
            {{"spec", Value::Object({{"type", "object"},
                                     {"default", Value::Object()},
                                     {"properties", Value::Object({{"size", size}})}})},
             {"status", Value::Object({{"type", "object"},
                                       {"properties", Value::Object({{"seen", integer}})}})}})}});
  const Value version =
      Value::Object({{"name", resource.version},
                     {"served", true},
                     {"storage", true},
                     {"subresources", Value::Object({{"status", Value::Object()}})},
                     {"schema", Value::Object({{"openAPIV3Schema", schema}})}});
  Value definition =
      NewObject(api::kCustomResourceDefinitions, "", resource.plural + "." + resource.group);
  definition.Set("spec", Value::Object({{"group", resource.group},
                                        {"scope", "Namespaced"},
                                        {"names", Value::Object({{"plural", resource.plural},
                                                                 {"singular", "gadget"},
                                                                 {"kind", resource.kind}})},
                                        {"versions", Value::Array({version})}}));
  return definition;
}

inline void ServesCustomResources(World& world) {
  using json::Value;
  const Resource gadgets = CustomResource(world);
  COPPICE_CONTRACT_VALUE(
      const Value definition,
      world.client.Create(api::kCustomResourceDefinitions, CustomDefinition(gadgets)));
  ASSERT_TRUE(world.eventually([&] { return world.client.List(gadgets, {.ns = world.ns}).ok(); }));
  Value gadget = NewObject(gadgets, world.ns, "a");
  gadget.Set("status", Value::Object({{"seen", 1}}));
  gadget.Mutable("spec").Set("unknown", 1);
  COPPICE_CONTRACT_VALUE(Value made, world.client.Create(gadgets, gadget));
  EXPECT_EQ(made["spec"], Value::Object({{"size", 3}})) << "defaulted and pruned";
  EXPECT_FALSE(made.Has("status"));
  made.Set("status", Value::Object({{"seen", 2}}));
  COPPICE_CONTRACT_VALUE(const Value updated,
                         world.client.Update(gadgets, made, {.subresource = "status"}));
  EXPECT_EQ(updated["status"]["seen"].AsInt(), 2);
  EXPECT_EQ(Generation(updated), 1);
  Value wrong = NewObject(gadgets, world.ns, "b");
  wrong.Mutable("spec").Set("size", 0);
  const auto refused = world.client.Create(gadgets, wrong);
  ASSERT_TRUE(refused.Is(base::ErrorCode::kInvalid));
  ASSERT_FALSE(refused.error().causes().empty());
  EXPECT_EQ(refused.error().causes()[0].field, "spec.size");
  COPPICE_CONTRACT_OK(
      world.client.Delete(api::kCustomResourceDefinitions, {"", std::string(Name(definition))}));
}

// Every case, in the order of this file.
inline const std::vector<Case>& Cases() {
#define COPPICE_CONTRACT_CASE(name) {#name, &name}
  static const std::vector<Case> cases = {
      COPPICE_CONTRACT_CASE(CreatesReadsAndDeletes),
      COPPICE_CONTRACT_CASE(RefusesToCreateTwice),
      COPPICE_CONTRACT_CASE(GeneratesNames),
      COPPICE_CONTRACT_CASE(NamesTheFieldThatIsWrong),
      COPPICE_CONTRACT_CASE(RefusesUnknownNamespaces),
      COPPICE_CONTRACT_CASE(RefusesWrongTypes),
      COPPICE_CONTRACT_CASE(GuardsUpdatesByVersion),
      COPPICE_CONTRACT_CASE(KeepsTheVersionWhenNothingChanges),
      COPPICE_CONTRACT_CASE(RefusesToUpdateWhatIsMissing),
      COPPICE_CONTRACT_CASE(ListsInPages),
      COPPICE_CONTRACT_CASE(ListsObjectsWithTheirTypes),
      COPPICE_CONTRACT_CASE(ListsAllNamespaces),
      COPPICE_CONTRACT_CASE(SelectsByLabel),
      COPPICE_CONTRACT_CASE(SelectsByField),
      COPPICE_CONTRACT_CASE(RefusesBadSelectors),
      COPPICE_CONTRACT_CASE(WatchesChangesInOrder),
      COPPICE_CONTRACT_CASE(ResumesAWatchWithoutGaps),
      COPPICE_CONTRACT_CASE(WatchesWhatEntersAndLeavesASelection),
      COPPICE_CONTRACT_CASE(StreamsInitialLists),
      COPPICE_CONTRACT_CASE(StopsAWatchForGood),
      COPPICE_CONTRACT_CASE(PatchesWithJsonPatch),
      COPPICE_CONTRACT_CASE(PatchesWithMergePatch),
      COPPICE_CONTRACT_CASE(PatchesListsByTheirKeys),
      COPPICE_CONTRACT_CASE(AppliesAndRemovesOwnFields),
      COPPICE_CONTRACT_CASE(RefusesToApplyOverOthers),
      COPPICE_CONTRACT_CASE(GuardsDeletesByPrecondition),
      COPPICE_CONTRACT_CASE(WaitsForFinalizers),
      COPPICE_CONTRACT_CASE(DeletesCollections),
      COPPICE_CONTRACT_CASE(SeparatesStatusFromSpec),
      COPPICE_CONTRACT_CASE(Scales),
      COPPICE_CONTRACT_CASE(BindsOnce),
      COPPICE_CONTRACT_CASE(RefusesToBindAnotherPodOfTheName),
      COPPICE_CONTRACT_CASE(HoldsGatedPods),
      COPPICE_CONTRACT_CASE(Evicts),
      COPPICE_CONTRACT_CASE(TriesWithoutEffect),
      COPPICE_CONTRACT_CASE(RefusesUnknownFieldsWhenStrict),
      COPPICE_CONTRACT_CASE(CountsGenerations),
      COPPICE_CONTRACT_CASE(KeepsImmutableFields),
      COPPICE_CONTRACT_CASE(AnswersPaths),
      COPPICE_CONTRACT_CASE(RefusesUnknownResources),
      COPPICE_CONTRACT_CASE(ServesCustomResources),
  };
#undef COPPICE_CONTRACT_CASE
  return cases;
}

// Runs one case in a namespace of its own.
inline void Run(const Case& test_case, World world) {
  COPPICE_CONTRACT_OK(
      world.client.Create(api::kNamespaces, NewObject(api::kNamespaces, "", world.ns)));
  test_case.run(world);
}

}  // namespace coppice::kube::contract
