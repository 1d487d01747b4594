#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <string_view>

#include "api/key/meta.h"
#include "api/resource.h"
#include "api/view/core.h"
#include "json/value.h"

namespace coppice::services::scheduler {

// The engine's uid of each pod. Shares strings with the cache, because there is one entry per pod.
class PodUids {
 public:
  // Null when the pod is not known.
  const json::Value* Find(const api::ObjectKey& key) const {
    const auto found = uids_.find(key);
    return found == uids_.end() ? nullptr : &found->second;
  }
  void Put(const json::Value& pod) {
    using Key = key::meta::ObjectMeta;
    const json::Value& metadata = view::core::Pod(pod).metadata().Json();
    uids_.insert_or_assign(Name{metadata[Key::namespace_], metadata[Key::name]},
                           metadata[Key::uid]);
  }
  void Erase(const api::ObjectKey& key) {
    if (const auto found = uids_.find(key); found != uids_.end()) uids_.erase(found);
  }

 private:
  struct Name {
    json::Value ns, name;
  };
  struct View {
    std::string_view ns, name;
    View(const Name& name) : ns(name.ns.AsString()), name(name.name.AsString()) {}  // NOLINT
    View(const api::ObjectKey& key) : ns(key.ns), name(key.name) {}                 // NOLINT
    bool operator==(const View&) const = default;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const View& view) const {
      const std::hash<std::string_view> hash;
      return hash(view.ns) * 31 + hash(view.name);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const View& a, const View& b) const { return a == b; }
  };

  boost::unordered_flat_map<Name, json::Value, Hash, Equal> uids_;
};

}  // namespace coppice::services::scheduler
