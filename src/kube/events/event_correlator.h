#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"

namespace coppice::kube {

// Remembers the values of the most recently used keys.
template <typename T>
class RecentMap {
 public:
  explicit RecentMap(size_t limit) : limit_(limit) {}

  // The key's value, made with T{} when it is not known; the oldest key goes when there are too
  // many.
  T& operator[](const std::string& key) {
    const auto found = places_.find(key);
    if (found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->second;
    }
    entries_.emplace_front(key, T{});
    places_.emplace(entries_.front().first, entries_.begin());
    if (entries_.size() > limit_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }
  size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, T>>;
  const size_t limit_;
  Entries entries_;
  std::unordered_map<std::string_view, typename Entries::iterator> places_;  // Keys of entries_.
};

// Decides what becomes of an event, as Kubernetes' own components do: an object that talks too
// much is silenced (a burst of 25, then one per five minutes), many different messages for one
// reason become one event (more than 10 in ten minutes), and a repeated event counts up the one
// that exists. Not thread-safe.
class EventCorrelator {
 public:
  struct Options {
    size_t cache_size = 4096;
    double spam_burst = 25;
    base::Duration spam_refill = std::chrono::seconds(300);  // Time per further event.
    size_t similar_limit = 10;
    base::Duration similar_window = std::chrono::seconds(600);
  };
  // What identifies an event. `source` and `object` are any text that is unique per source and
  // per object.
  struct Input {
    std::string source;
    std::string object;
    std::string type;
    std::string reason;
    std::string message;
  };
  struct Output {
    std::string key;      // Equal for events that are counted as one.
    std::string message;  // Prefixed if it represents several messages.
    bool aggregate = false;
  };

  EventCorrelator() : EventCorrelator(Options{}) {}
  explicit EventCorrelator(Options options);

  // None when the event is to be dropped.
  std::optional<Output> Correlate(const Input& input, base::Instant now);

 private:
  struct Budget {
    bool known = false;
    double tokens = 0;
    base::Instant refilled;
  };
  struct Similar {
    std::set<std::string> messages;
    base::Instant last;
  };

  bool WithinBudget(const Input& input, base::Instant now);

  const Options options_;
  RecentMap<Budget> budgets_;
  RecentMap<Similar> similar_;
};

}  // namespace coppice::kube
