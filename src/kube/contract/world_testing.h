#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "api/well_known.h"
#include "kube/client/client.h"
#include "kube/object.h"

// What the cases of the client contract stand on.
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

// For World::eventually, on the real clock.
inline bool PollForTwentySeconds(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

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

}  // namespace coppice::kube::contract
