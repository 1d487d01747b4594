#pragma once

#include <charconv>
#include <mutex>
#include <unordered_map>

#include "api/key/meta.h"
#include "api/resource.h"
#include "api/view/core.h"
#include "kube/object.h"

namespace coppice::sim {

// What an agent wrote itself and its cache does not show yet: until then it must not decide anew,
// and there is nothing to do when it does show, unless something else happened in between.
// Thread-safe.
class OwnWrites {
 public:
  // Pods: `written` is the object as the server answered, `seen` the one that the write was based
  // on. Anything beside the status that differs is somebody else's change, to be looked at.
  void Note(const json::Value& seen, const json::Value& written) {
    const view::core::Pod before(seen), after(written);
    const bool others = before.spec() != after.spec() ||
                        MetadataDiffers(before.metadata().Json(), after.metadata().Json());
    std::lock_guard lock(mutex_);
    waiting_[kube::KeyOf(written)] = {VersionOf(written), others};
  }

  // Whether the cached object is older than what was written.
  bool IsBehind(const json::Value& cached) {
    std::lock_guard lock(mutex_);
    const auto found = waiting_.find(kube::KeyOf(cached));
    if (found == waiting_.end() || VersionOf(cached) >= found->second.version) return false;
    found->second.missed = true;
    return true;
  }

  // To be told of every change. True when it is the agent's own one, and nothing more.
  bool Arrived(const json::Value& object) {
    std::lock_guard lock(mutex_);
    const auto found = waiting_.find(kube::KeyOf(object));
    if (found == waiting_.end()) return false;
    const Write write = found->second;
    if (VersionOf(object) >= write.version) waiting_.erase(found);
    return VersionOf(object) == write.version && !write.missed;
  }

  void Forget(const api::ObjectKey& key) {
    std::lock_guard lock(mutex_);
    waiting_.erase(key);
  }

 private:
  struct Write {
    uint64_t version = 0;
    bool missed = false;  // A change was left for later.
  };

  static bool MetadataDiffers(const json::Value& a, const json::Value& b) {
    using Key = key::meta::ObjectMeta;
    for (const std::string_view field :
         {Key::deletionTimestamp, Key::labels, Key::annotations, Key::finalizers}) {
      if (a[field] != b[field]) return true;
    }
    return false;
  }

  static uint64_t VersionOf(const json::Value& object) {
    const std::string_view text = kube::ResourceVersion(object);
    uint64_t version = 0;
    std::from_chars(text.data(), text.data() + text.size(), version);
    return version;
  }

  std::mutex mutex_;  // Guards waiting_.
  std::unordered_map<api::ObjectKey, Write, api::ObjectKeyHash> waiting_;
};

}  // namespace coppice::sim
