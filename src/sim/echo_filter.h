#pragma once

#include <mutex>
#include <unordered_map>

#include "api/key/meta.h"
#include "api/resource.h"
#include "api/view/core.h"
#include "kube/cache/own_writes.h"
#include "kube/object.h"

namespace coppice::sim {

// Recognizes an agent's own writes when the watch delivers them: there is nothing to do then. Its
// cache has shown them since. Thread-safe.
class EchoFilter {
 public:
  // Pods: `written` is the object as the server answered, `seen` the one that the write was based
  // on. Anything beside the status that differs is somebody else's change, to be looked at.
  void Note(const json::Value& seen, const json::Value& written) {
    const view::core::Pod before(seen), after(written);
    const bool others = before.spec() != after.spec() ||
                        MetadataDiffers(before.metadata().Json(), after.metadata().Json());
    std::lock_guard lock(mutex_);
    waiting_[kube::KeyOf(written)] = {kube::VersionNumber(kube::ResourceVersion(written)), others};
  }

  // To be told of every change. True when it is the agent's own one, and nothing more.
  bool Arrived(const json::Value& object) {
    std::lock_guard lock(mutex_);
    const auto found = waiting_.find(kube::KeyOf(object));
    if (found == waiting_.end()) return false;
    const Write write = found->second;
    const uint64_t version = kube::VersionNumber(kube::ResourceVersion(object));
    if (version >= write.version) waiting_.erase(found);
    return version == write.version && !write.includes_others;
  }

  void Forget(const api::ObjectKey& key) {
    std::lock_guard lock(mutex_);
    waiting_.erase(key);
  }

 private:
  struct Write {
    uint64_t version = 0;
    bool includes_others = false;  // The answer shows changes of others, too.
  };

  static bool MetadataDiffers(const json::Value& a, const json::Value& b) {
    using Key = key::meta::ObjectMeta;
    for (const std::string_view field :
         {Key::deletionTimestamp, Key::labels, Key::annotations, Key::finalizers}) {
      if (a[field] != b[field]) return true;
    }
    return false;
  }

  std::mutex mutex_;  // Guards waiting_.
  std::unordered_map<api::ObjectKey, Write, api::ObjectKeyHash> waiting_;
};

}  // namespace coppice::sim
