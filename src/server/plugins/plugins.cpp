#include "server/plugins/plugins.h"

#include <algorithm>

#include "server/auth/escalation_guard.h"
#include "server/webhooks/webhook_plugin.h"

namespace coppice::server {

void AddBuiltinPlugins(Core& core, const std::vector<std::string>& disabled) {
  using Stage = AdmissionChain::Stage;
  const auto add = [&](std::shared_ptr<AdmissionPlugin> plugin, Stage stage) {
    const bool wanted =
        std::find(disabled.begin(), disabled.end(), plugin->name()) == disabled.end();
    if (wanted) core.admission().Add(std::move(plugin), stage);
  };
  add(NodeRestriction(core), Stage::kBuiltin);
  add(LimitRanger(core), Stage::kBuiltin);
  add(ServiceAccounts(core), Stage::kBuiltin);
  add(PodDefaults(core), Stage::kBuiltin);
  if (core.kubernetes_version() == "1.36") add(WorkloadExists(core), Stage::kBuiltin);
  add(std::make_shared<EscalationGuard>(core), Stage::kBuiltin);
  add(ValidatingPolicies(core), Stage::kPolicies);
  add(std::make_shared<WebhookPlugin>(core), Stage::kWebhooks);
  add(Quotas(core), Stage::kQuotas);
}

}  // namespace coppice::server
