#include "backends/registry.h"

namespace coppice::backends {

base::Status BackendSet::AddPlugins() {
  if (config_.plugins.empty()) return {};
  return base::Unimplemented("scheduler.plugins");
}

base::Status BackendSet::AddDeclarations() {
  if (config_.declarations.empty()) return {};
  return base::Unimplemented("scheduler.declarations");
}

}  // namespace coppice::backends
