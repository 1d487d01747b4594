#include "backends/declarative/declarative.h"
#include "backends/plugin/loader.h"
#include "backends/registry.h"

namespace coppice::backends {

base::Status BackendSet::AddPlugins() {
  for (const std::string& path : config_.plugins) {
    COPPICE_ASSIGN(std::shared_ptr<const SchedulerBackend> backend, plugin::Load(path));
    Profile profile = ProfileFor(backend->name());
    COPPICE_TRY(Add(std::move(backend), std::move(profile)));
  }
  return {};
}

base::Status BackendSet::AddDeclarations() {
  for (const json::Value& declaration : config_.declarations) {
    COPPICE_ASSIGN(std::shared_ptr<const SchedulerBackend> backend,
                   declarative::MakeBackend(declaration));
    Profile profile = ProfileFor(backend->name());
    COPPICE_TRY(Add(std::move(backend), std::move(profile)));
  }
  return {};
}

}  // namespace coppice::backends
