#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/model/input.h"
#include "engine/model/result.h"

namespace coppice::engine {

// Objects of which the engine only needs the name, or the labels.
struct ConfigMapSpec {
  std::string namespace_name;
  std::string name;
};
struct NamespaceSpec {
  std::string name;
  Labels labels;
};

// Namespace (empty for cluster-scoped objects) and name.
using InputKey = std::pair<std::string, std::string>;

// Everything that an engine was given and still counts, so that a second engine can be given the
// same: the engine itself keeps only what a decision needs. `Settle` adds what cycles decided,
// until the next put of the object says it too. Not thread-safe.
class Ledger {
 public:
  template <typename Spec>
  void Put(const Spec& spec) {
    std::get<Table<Spec>>(tables_).insert_or_assign(KeyOf(spec), spec);
  }
  template <typename Spec>
  void Remove(std::string_view namespace_name, std::string_view name) {
    std::get<Table<Spec>>(tables_).erase({std::string(namespace_name), std::string(name)});
  }
  void Put(const PodSpec& pod);
  void RemovePod(std::string_view uid);

  void Settle(const CycleResult& result);
  void SetLastStart(const InputKey& group, base::Time time);

  template <typename Spec>
  using Table = std::map<InputKey, Spec>;
  template <typename Spec>
  const Table<Spec>& All() const {
    return std::get<Table<Spec>>(tables_);
  }
  // Null if there is none.
  template <typename Spec>
  const Spec* Find(std::string_view namespace_name, std::string_view name) const {
    const auto found = All<Spec>().find({std::string(namespace_name), std::string(name)});
    return found == All<Spec>().end() ? nullptr : &found->second;
  }
  // In order of arrival. Entries without a uid are free.
  const std::vector<PodSpec>& pods() const { return pods_; }
  const PodSpec* FindPod(std::string_view uid) const;

  // Calls `tell` with every object: pods last, and groups before them.
  template <typename Tell>
  void ForEach(Tell tell) const {
    const auto each = [&](const auto& table) {
      for (const auto& [key, spec] : table) tell(spec);
    };
    std::apply([&](const auto&... table) { (each(table), ...); }, tables_);
    for (const PodSpec& pod : pods_) {
      if (!pod.uid.empty()) tell(pod);
    }
  }

 private:
  template <typename Spec>
  static InputKey KeyOf(const Spec& spec) {
    if constexpr (requires { spec.namespace_name; }) {
      return {spec.namespace_name, spec.name};
    } else {
      return {"", spec.name};
    }
  }
  PodSpec* PodOf(const PodKey& key);

  std::tuple<Table<NodeSpec>, Table<QueueSpec>, Table<TopologySpec>, Table<ConfigMapSpec>,
             Table<NamespaceSpec>, Table<DeviceClassSpec>, Table<ResourceSliceSpec>,
             Table<ResourceClaimSpec>, Table<PersistentVolumeClaimSpec>,
             Table<PersistentVolumeSpec>, Table<StorageClassSpec>, Table<CsiDriverSpec>,
             Table<CsiStorageCapacitySpec>, Table<PodGroupSpec>>
      tables_;
  std::vector<PodSpec> pods_;
  std::vector<size_t> free_;
  std::unordered_map<std::string, size_t> by_uid_;
};

}  // namespace coppice::engine
