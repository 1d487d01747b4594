#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "backends/framework/registry.h"
#include "kube/metrics.h"

namespace coppice::backends {

// Which backend serves a set or a gang.
struct Selection {
  std::shared_ptr<const SchedulerBackend> backend;
  Profile profile;
  std::string scheduler_name;  // As written on the pods.
};

// The schedulerName that all cliques of a set agree on ("" counts as `default_name`). kInvalid with
// the field if they differ.
base::Result<std::string> SchedulerNameOf(const json::Value& pod_clique_set,
                                          std::string_view default_name);

// Selects the backend for a set; pure. The order is: annotation, schedulerName, `present` (the
// scheduler of its existing gangs, "" if there are none), the default profile. Pods never change
// their scheduler, so a new default applies only to new sets.
base::Result<Selection> SelectForSet(const BackendSet& backends, const json::Value& pod_clique_set,
                                     std::string_view present = "");
// Selects the backend for a gang; pure. The order is: label grove.io/scheduler-backend, label
// grove.io/scheduler-name, `pod_scheduler_name` (of its pods, "" if there are none), the default
// profile.
base::Result<Selection> SelectForGang(const BackendSet& backends, const json::Value& pod_gang,
                                      std::string_view pod_scheduler_name);

// Caches the selection by set uid and generation; a new BackendSet clears the cache. Counts
// selections and cache hits. Thread-safe; holds at most `limit` sets.
class SelectionCache {
 public:
  using Present = std::function<std::string()>;

  SelectionCache(kube::Metrics& metrics, size_t limit = 65536);

  base::Result<Selection> Select(const std::shared_ptr<const BackendSet>& backends,
                                 const json::Value& pod_clique_set, const Present& present);

 private:
  struct Entry {
    int64_t generation;
    std::string override_annotation;
    Selection selection;
  };

  kube::Metrics& metrics_;
  const size_t limit_;
  std::mutex mutex_;  // Guards the members below.
  std::shared_ptr<const BackendSet> backends_;
  std::map<std::string, Entry> by_uid_;
};

}  // namespace coppice::backends
