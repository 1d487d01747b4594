#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/result.h"
#include "engine/inputs/archive.h"
#include "engine/inputs/ledger.h"

namespace coppice::engine {

// The kinds of input, in the order of their codes.
using InputTypes = std::tuple<NodeSpec, QueueSpec, TopologySpec, ConfigMapSpec, NamespaceSpec,
                              DeviceClassSpec, ResourceSliceSpec, ResourceClaimSpec,
                              PersistentVolumeClaimSpec, PersistentVolumeSpec, StorageClassSpec,
                              CsiDriverSpec, CsiStorageCapacitySpec, PodGroupSpec, PodSpec>;

// Writes down what an engine is told (Engine::SetRecorder), in a form that ReplayInput passes to
// another engine. Not thread-safe.
class Recorder {
 public:
  template <typename Spec>
  void Put(const Spec& spec) {
    writer_.Write(CodeOf<Spec>(kPut));
    writer_.Write(spec);
  }
  template <typename Spec>
  void Remove(std::string_view namespace_name, std::string_view name) {
    writer_.Write(CodeOf<Spec>(kRemove));
    writer_.Write(std::string(namespace_name));
    writer_.Write(std::string(name));
  }
  void SetLastStart(const InputKey& group, base::Time time);
  void SetUsage(const std::map<std::string, QueueUsage>& usage);
  void SetSurplusHeldSince(const std::string& set, base::Time since);

  // What was written since the last call.
  std::string Take() { return writer_.Take(); }
  ArchiveWriter& writer() { return writer_; }

  enum Action : uint8_t { kPut, kRemove };
  enum Other : uint8_t { kLastStart = 100, kUsage = 101, kSurplus = 102 };
  template <typename Spec>
  static constexpr uint8_t CodeOf(Action action) {
    return static_cast<uint8_t>(2 * IndexOf<Spec>() + action);
  }

 private:
  template <typename Spec, size_t kIndex = 0>
  static constexpr size_t IndexOf() {
    if constexpr (std::is_same_v<Spec, std::tuple_element_t<kIndex, InputTypes>>) {
      return kIndex;
    } else {
      return IndexOf<Spec, kIndex + 1>();
    }
  }

  ArchiveWriter writer_;
};

}  // namespace coppice::engine
