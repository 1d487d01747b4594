#include "server/core.h"

namespace coppice::server {

Core::Core(std::unique_ptr<store::Store> store, Options options)
    : options_(std::move(options)),
      store_(std::move(store)),
      ids_(options_.seed),
      registry_(std::make_shared<Registry>()) {}

Core::~Core() = default;

RuleContext Core::rule_context() const {
  return {*store_, clock().Now(), options_.kubernetes_version};
}

std::shared_ptr<const Registry> Core::registry() const {
  std::lock_guard lock(registry_mutex_);
  return registry_;
}

void Core::ChangeRegistry(const std::function<void(Registry&)>& change) {
  std::lock_guard lock(registry_mutex_);
  auto changed = std::make_shared<Registry>(*registry_);
  change(*changed);
  registry_ = std::move(changed);
}

}  // namespace coppice::server
