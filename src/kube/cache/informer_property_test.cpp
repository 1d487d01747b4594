// Whatever happens to its watches, an informer ends up with what the server has, and each handler
// hears a story that makes sense: an object is added before it is updated, updated from the state
// heard last, and deleted once.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "api/well_known.h"
#include "kube/cache/informer.h"
#include "kube/client/faulty_client.h"
#include "kube/object.h"
#include "kube/process/embedded_testing.h"

namespace coppice::kube {
namespace {

using namespace std::chrono_literals;
using json::Value;

// What one handler has been told so far.
class Story {
 public:
  void Hear(const Change& change) {
    const ObjectKey key = KeyOf(change.object);
    const auto known = objects_.find(key);
    switch (change.type) {
      case ChangeType::kAdded:
        EXPECT_EQ(known, objects_.end()) << "added twice: " << key.ToString();
        objects_[key] = change.object;
        break;
      case ChangeType::kUpdated:
        ASSERT_NE(known, objects_.end()) << "updated before added: " << key.ToString();
        EXPECT_EQ(known->second, change.old_object);
        EXPECT_EQ(Uid(change.old_object), Uid(change.object));
        EXPECT_NE(ResourceVersion(change.old_object), ResourceVersion(change.object));
        known->second = change.object;
        break;
      case ChangeType::kDeleted:
        ASSERT_NE(known, objects_.end()) << "deleted before added: " << key.ToString();
        EXPECT_EQ(Uid(known->second), Uid(change.object));
        objects_.erase(known);
        break;
    }
  }
  const std::map<ObjectKey, Value>& objects() const { return objects_; }

 private:
  std::map<ObjectKey, Value> objects_;
};

std::map<ObjectKey, Value> WithoutManagedFields(const std::vector<Value>& items) {
  std::map<ObjectKey, Value> objects;
  for (Value item : items) {
    item.Mutable("metadata").Erase("managedFields");
    objects[KeyOf(item)] = item;
  }
  return objects;
}

// Creates, changes and deletes a handful of objects at random.
void WriteSomething(Client& client, std::mt19937_64& random) {
  Value object = NewObject(api::kConfigMaps, "default", "c" + std::to_string(random() % 6));
  object.Set("data", Value::Object({{"n", std::to_string(random())}}));
  if (random() % 3 == 0) {
    (void)client.Delete(api::kConfigMaps, KeyOf(object));
  } else if (!client.Create(api::kConfigMaps, object)) {
    (void)client.Update(api::kConfigMaps, object);
  }
}

struct Case {
  bool streaming;
  size_t history;  // Small: resuming a watch often fails with Gone.
};

class InformerProperty : public testing::TestWithParam<Case> {
 protected:
  void Run(uint64_t seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Embedded plane(seed, GetParam().history);
    FaultyClient faulty(*plane.client, plane.stepper,
                        {.error = 0.1,
                         .stale_read = 0.1,
                         .watch_cut = 0.1,
                         .watch_expired = 0.05,
                         .watch_delay = 3s},
                        seed);
    Reflector::Options options;
    options.streaming_lists = GetParam().streaming;
    options.page_size = 2;
    ReflectedInformer informer(faulty, plane.stepper, api::kConfigMaps, options);
    std::vector<Story> stories(3);
    const auto listen = [&](Story& story) {
      informer.AddHandler([&story](const Change& change) { story.Hear(change); });
    };
    listen(stories[0]);
    informer.Start({});
    std::mt19937_64 random(seed);
    for (int i = 0; i < 60; ++i) {
      WriteSomething(*plane.client, random);
      plane.stepper.RunFor(std::chrono::milliseconds(random() % 500));
      if (i == 10) listen(stories[1]);
      if (i == 40) listen(stories[2]);
    }
    faulty.SetFaults({});
    plane.stepper.RunFor(2min);
    const auto expected = WithoutManagedFields(plane.client->List(api::kConfigMaps).value().items);
    EXPECT_TRUE(informer.Synced());
    EXPECT_EQ(WithoutManagedFields(informer.List("")), expected);
    for (const Story& story : stories) EXPECT_EQ(story.objects(), expected);
    EXPECT_GT(faulty.injected(), 0);
  }
};

INSTANTIATE_TEST_SUITE_P(All, InformerProperty,
                         testing::Values(Case{false, 16384}, Case{true, 16384}, Case{false, 4},
                                         Case{true, 4}),
                         [](const auto& i) {
                           return std::string(i.param.streaming ? "Stream" : "List") +
                                  (i.param.history < 100 ? "ShortHistory" : "");
                         });

TEST_P(InformerProperty, EndsUpWithWhatTheServerHas) {
  for (uint64_t seed = 1; seed <= 40; ++seed) Run(seed);
}

}  // namespace
}  // namespace coppice::kube
