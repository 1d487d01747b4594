#pragma once

#include <mutex>
#include <unordered_map>

#include "api/key/meta.h"
#include "api/resource.h"
#include "api/view/core.h"
#include "kube/cache/own_writes.h"
#include "kube/object.h"

namespace coppice::sim {

// Recognizes an agent's own writes when the watch delivers them; they need no reconcile, because
// its cache already shows them. Thread-safe.
class EchoFilter {
 public:
  // For pods: `written` is the server's response, `seen` the object that the write was based on. A
  // difference outside the status is someone else's change, which needs a reconcile.
  void Note(const json::Value& seen, const json::Value& written) {
    const view::core::Pod before(seen), after(written);
    const bool others = before.spec() != after.spec() ||
                        MetadataDiffers(before.metadata().Json(), after.metadata().Json());
    std::lock_guard lock(mutex_);
    waiting_[kube::KeyOf(written)] = {kube::VersionNumber(kube::ResourceVersion(written)), others};
  }

  // Call for every change. True if it is only the agent's own change.
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
    bool includes_others = false;  // The response includes changes by others.
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
