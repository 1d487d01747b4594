#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "server/authorization/pod_references.h"
#include "store/store.h"

namespace coppice::server {

// What the pods that are bound to a node reference. Follows the store: a question first reads the
// changes of pods since the last one. Thread-safe.
class NodeGraph {
 public:
  explicit NodeGraph(const store::Store& store) : store_(store) {}

  bool HasPod(std::string_view node, const std::string& ns, const std::string& name) const;
  bool NeedsSecret(std::string_view node, const std::string& ns, const std::string& name);
  bool NeedsConfigMap(std::string_view node, const std::string& ns, const std::string& name);
  bool NeedsVolumeClaim(std::string_view node, const std::string& ns, const std::string& name);
  bool NeedsVolume(std::string_view node, const std::string& name);
  bool NeedsResourceClaim(std::string_view node, const std::string& ns, const std::string& name);
  bool NeedsServiceAccount(std::string_view node, const std::string& ns, const std::string& name);

 private:
  // By the key of the pod, "ns/name".
  using Pods = std::map<std::string, PodReferences, std::less<>>;

  // Whether `wanted` is true of a pod of the node, in any namespace if `ns` is "".
  template <typename Wanted>
  bool AnyPod(std::string_view node, std::string_view ns, const Wanted& wanted);
  bool VolumeNeedsSecret(const std::string& ns, const std::string& claim,
                         const std::string& secret_ns, const std::string& secret) const;
  void Follow();
  void Rebuild();
  void Put(const store::VersionPtr& pod);
  void Forget(const store::VersionPtr& pod);

  const store::Store& store_;
  std::mutex mutex_;      // Guards all below.
  int64_t revision_ = 0;  // 0: nothing has been read.
  std::map<std::string, Pods, std::less<>> nodes_;
};

}  // namespace coppice::server
