#include "server/plugins/plugins.h"

#include "server/auth/escalation_guard.h"
#include "server/webhooks/webhook_plugin.h"

namespace coppice::server {

void AddBuiltinPlugins(Core& core) {
  using Stage = AdmissionChain::Stage;
  AdmissionChain& chain = core.admission();
  chain.Add(LimitRanger(core), Stage::kBuiltin);
  chain.Add(ServiceAccounts(core), Stage::kBuiltin);
  chain.Add(PodDefaults(core), Stage::kBuiltin);
  if (core.kubernetes_version() == "1.36") chain.Add(WorkloadExists(core), Stage::kBuiltin);
  chain.Add(std::make_shared<EscalationGuard>(core), Stage::kBuiltin);
  chain.Add(ValidatingPolicies(core), Stage::kPolicies);
  chain.Add(std::make_shared<WebhookPlugin>(core.store(), core.ids()), Stage::kWebhooks);
  chain.Add(Quotas(core), Stage::kQuotas);
}

}  // namespace coppice::server
