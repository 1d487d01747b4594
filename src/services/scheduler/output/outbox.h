#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "api/resource.h"

namespace coppice::services::scheduler {

// Pending writes by key: a newer entry replaces one that has not been taken. Thread-safe.
template <typename T>
class Outbox {
 public:
  void Put(const api::ObjectKey& key, T entry) {
    std::lock_guard lock(mutex_);
    entries_.insert_or_assign(key, std::move(entry));
  }

  // False, and nothing changes, when the same entry is pending already.
  bool PutNew(const api::ObjectKey& key, T entry) {
    std::lock_guard lock(mutex_);
    const auto [pending, added] = entries_.try_emplace(key, entry);
    if (!added && pending->second == entry) return false;
    pending->second = std::move(entry);
    return true;
  }

  // Returns an entry that could not be written, unless there is a newer one.
  void PutBack(const api::ObjectKey& key, T entry) {
    std::lock_guard lock(mutex_);
    entries_.emplace(key, std::move(entry));
  }

  std::optional<T> Take(const api::ObjectKey& key) {
    std::lock_guard lock(mutex_);
    const auto found = entries_.find(key);
    if (found == entries_.end()) return std::nullopt;
    std::optional<T> entry(std::move(found->second));
    entries_.erase(found);
    return entry;
  }

  void Drop(const api::ObjectKey& key) { Take(key); }

  // The keys of those that were dropped.
  template <typename Predicate>
  std::vector<api::ObjectKey> DropIf(Predicate predicate) {
    std::lock_guard lock(mutex_);
    std::vector<api::ObjectKey> dropped;
    std::erase_if(entries_, [&](const auto& entry) {
      if (!predicate(entry.first, entry.second)) return false;
      dropped.push_back(entry.first);
      return true;
    });
    return dropped;
  }

 private:
  std::mutex mutex_;  // Guards entries_.
  std::map<api::ObjectKey, T> entries_;
};

}  // namespace coppice::services::scheduler
