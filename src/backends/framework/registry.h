#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backends/framework/backend.h"

namespace coppice::backends {

// The kinds of backend that this process can make, by id. A backend announces itself from a file
// called register.cpp in its own folder, so that adding one touches nothing else:
//
//   const backends::Registration kRegistration("kai", {"kai-scheduler"}, &MakeKai);
//
// Thread-safe; shared objects and declarations add to it at run time.
class BackendCatalog {
 public:
  static BackendCatalog& Global();

  // `scheduler_names` are the profile names that mean this backend. AlreadyExists for a taken id.
  base::Status Add(std::string id, std::vector<std::string> scheduler_names,
                   BackendFactory factory);
  base::Result<std::unique_ptr<SchedulerBackend>> Make(const Profile& profile) const;
  // The id for a profile or scheduler name; "" when unknown.
  std::string IdOf(std::string_view profile_name) const;
  // The first scheduler name of an id, which is what its profile is called.
  std::string ProfileNameOf(std::string_view id) const;
  std::vector<std::string> Ids() const;

 private:
  struct Entry {
    std::vector<std::string> scheduler_names;
    BackendFactory factory;
  };
  mutable std::mutex mutex_;  // Guards entries_.
  std::map<std::string, Entry, std::less<>> entries_;
};

struct Registration {
  Registration(std::string id, std::vector<std::string> scheduler_names, BackendFactory factory);
};

// One enabled backend with its profile.
struct BackendInstance {
  std::shared_ptr<const SchedulerBackend> backend;
  Profile profile;
};

// The backends of one configuration: an immutable set, replaced as a whole when the configuration
// changes (readers keep the one they hold).
class BackendSet {
 public:
  // Fails when a profile names no known backend, or a plugin or declaration does not load.
  static base::Result<std::shared_ptr<const BackendSet>> Make(const BackendConfig& config);

  const BackendConfig& config() const { return config_; }
  const std::vector<BackendInstance>& instances() const { return instances_; }
  // By backend id ("kai"; alias "workload" for "default"); null when not enabled.
  const BackendInstance* ByName(std::string_view id) const;
  // By a pod's schedulerName; "" is the default profile. Clear refusals: none matches (with the
  // enabled names), more than one matches.
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
