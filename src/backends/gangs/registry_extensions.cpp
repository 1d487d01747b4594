#include "backends/declarative/declarative.h"
#include "backends/framework/registry.h"
#include "backends/plugin/loader.h"

namespace coppice::backends {
namespace {

// The profile that is named after a schedulerName of the backend instead of its id, if any.
const Profile* NamedByScheduler(const BackendConfig& config, const SchedulerBackend& backend) {
  for (const Profile& profile : config.profiles) {
    if (profile.backend.empty() && backend.Matches(profile.name)) return &profile;
  }
  return nullptr;
}

}  // namespace

base::Status BackendSet::AddPlugins() {
  for (const std::string& path : config_.plugins) {
    COPPICE_ASSIGN(std::shared_ptr<const SchedulerBackend> backend, plugin::Load(path));
    const Profile* named = NamedByScheduler(config_, *backend);
    Profile profile = named != nullptr ? *named : ProfileFor(backend->name());
    COPPICE_TRY(Add(std::move(backend), std::move(profile)));
  }
  return {};
}

base::Status BackendSet::AddDeclarations() {
  for (const json::Value& declaration : config_.declarations) {
    COPPICE_ASSIGN(std::shared_ptr<const SchedulerBackend> backend,
                   declarative::MakeBackend(declaration));
    const Profile* named = NamedByScheduler(config_, *backend);
    Profile profile = named != nullptr ? *named : ProfileFor(backend->name());
    COPPICE_TRY(Add(std::move(backend), std::move(profile)));
  }
  return {};
}

}  // namespace coppice::backends
