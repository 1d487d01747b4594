#include "server/core/core.h"

#include "server/model/pki.h"

namespace coppice::server {

Core::Core(std::unique_ptr<store::Store> store, Options options)
    : options_(std::move(options)),
      store_(std::move(store)),
      ids_(options_.seed),
      authorizer_(*store_),
      registry_(std::make_shared<Registry>()) {}

Core::~Core() = default;

RuleContext Core::rule_context() const {
  return {*store_, clock().Now(), options_.kubernetes_version};
}

base::Status Core::Authorize(const User& user, const Attributes& attributes) {
  const Decision decision = authorizer_.Allow(user, attributes);
  if (decision) return {};
  return AccessDenied(user, attributes, decision.reason);
}

base::Result<std::shared_ptr<const Pki>> Core::pki() {
  std::lock_guard lock(pki_mutex_);
  if (!pki_) {
    COPPICE_ASSIGN(pki_, Pki::Open(options_.pki_dir, clock().Now()));
  }
  return pki_;
}

std::string Core::ca_certificate() const {
  std::lock_guard lock(pki_mutex_);
  return pki_ ? pki_->ca_pem() : std::string();
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
