#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/framework/backend.h"

namespace coppice::backends {

// A compiled-in backend.
struct BuiltInBackend {
  std::string_view id;
  std::string_view scheduler_name;  // The default name of its profile.
  base::Result<std::unique_ptr<SchedulerBackend>> (*make)(const Profile& profile);
};

// All built-in backends, sorted by id: the table in backends/built_in.cpp. The configuration adds
// shared objects and declarations (BackendSet).
std::span<const BuiltInBackend> BuiltInBackends();

// By id, by scheduler name, or by the alias "workload" for "default"; null if there is none.
const BuiltInBackend* FindBuiltIn(std::string_view name);

// One enabled backend with its profile.
struct BackendInstance {
  std::shared_ptr<const SchedulerBackend> backend;
  Profile profile;
};

// The backends of one configuration. Immutable: a configuration change replaces the whole set, and
// readers keep the one they hold.
class BackendSet {
 public:
  // Fails if a profile names no known backend, or if a plugin or declaration does not load.
  static base::Result<std::shared_ptr<const BackendSet>> Make(const BackendConfig& config);

  const BackendConfig& config() const { return config_; }
  const std::vector<BackendInstance>& instances() const { return instances_; }
  // By backend id ("kai"; alias "workload" for "default"); null if not enabled.
  const BackendInstance* ByName(std::string_view id) const;
  // By a pod's schedulerName; "" is the default profile. The errors distinguish no match (listing
  // the enabled names) and several matches.
  base::Result<const BackendInstance*> ByScheduler(std::string_view scheduler_name) const;
  const BackendInstance* Default() const;

 private:
  base::Status AddProfiles();
  base::Status AddPlugins();
  base::Status AddDeclarations();
  base::Status CheckNames() const;
  base::Status CheckProfile(const SchedulerBackend& backend, const Profile& profile) const;
  base::Status Add(std::shared_ptr<const SchedulerBackend> backend, Profile profile);
  Profile ProfileFor(std::string_view id) const;
  base::Result<const BackendInstance*> NoneMatches(std::string_view scheduler_name) const;

  BackendConfig config_;
  std::vector<BackendInstance> instances_;
};

}  // namespace coppice::backends
