#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/view/backendfiles.h"
#include "backends/compatibility/policy.h"
#include "base/result.h"
#include "json/value.h"

namespace coppice::backends {

// What to do with a topology constraint that the target scheduler cannot express.
enum class Fallback { kReject, kPodAffinity, kDrop };

// One scheduler that the operator serves: an entry of `scheduler.profiles` in the configuration.
//
//   profiles:
//   - name: kai-scheduler          # a schedulerName, or a backend's id
//     config: {defaultQueue: team-a}
//   - name: volcano
//     enabled: false
struct Profile {
  std::string name;
  std::string backend;  // The backend's id; derived from the name if not given.
  bool enabled = true;
  json::Value options = json::Value::Object();  // `config`

  view::backendfiles::Options Config() const { return view::backendfiles::Options(options); }
  // Further schedulerNames that belong to this profile (`config.schedulerNames`).
  std::vector<std::string> SchedulerNames() const;
  Fallback RequiredGang() const;   // config.topology.requiredGang, default Reject
  Fallback RequiredGroup() const;  // config.topology.requiredGroup, default Reject
  Fallback Preferred() const;      // config.topology.preferred, default PodAffinity
  bool ReuseReservation() const;   // config.reuseReservation, default true
  bool KueueAdmission() const;     // config.admission: kueue

  friend bool operator==(const Profile&, const Profile&) = default;
};

// The scheduler part of the operator's configuration.
struct BackendConfig {
  std::vector<Profile> profiles;
  std::string default_profile = "default-scheduler";
  // Our names and behaviour, or Grove's where they differ (`compatibility: grove`).
  const CompatibilityPolicy* policy = &CompatibilityPolicy::Coppice();
  // Backend id for schedulerNames that no backend matches; "" rejects them.
  std::string unknown_scheduler;
  std::vector<std::string> plugins;       // Shared objects to load backends from.
  std::vector<json::Value> declarations;  // Declarative backends.

  friend bool operator==(const BackendConfig&, const BackendConfig&) = default;
};

// Reads {scheduler: {profiles, defaultProfileName, unknownScheduler, plugins, declarations},
// compatibility: grove}. Errors name the field. Without profiles, only default-scheduler is
// enabled.
base::Result<BackendConfig> ParseConfig(const json::Value& operator_configuration);
// A configuration with every built-in backend enabled, for tests and `coppice render`.
BackendConfig AllBackends();

}  // namespace coppice::backends
