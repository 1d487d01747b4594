#include "cli/render/render_check.h"

#include "api/grove/convert.h"
#include "api/grove/crds.h"
#include "api/well_known.h"
#include "kube/executor/stepper.h"
#include "kube/object.h"
#include "operator/webhooks/admission.h"
#include "operator/webhooks/checks/checks.h"
#include "server/api_server.h"

namespace coppice::cli {

base::Status CheckAsServer(const operators::Config& config, const std::string& kubernetes,
                           const json::Value& set) {
  kube::Stepper stepper;
  COPPICE_ASSIGN(
      const std::unique_ptr<server::ApiServer> server,
      server::ApiServer::Make({.clock = &stepper.clock(),
                               .kubernetes_version = kubernetes.substr(0, kubernetes.find('+'))}));
  for (const json::Value& crd : api::grove::Crds()) COPPICE_TRY(server->InstallCrd(crd));
  const std::unique_ptr<kube::Client> client = server->NewClient(stepper);
  const std::string ns(kube::Namespace(set));
  if (ns != "default") {
    COPPICE_TRY(client->Create(api::kNamespaces, kube::NewObject(api::kNamespaces, "", ns)));
  }
  COPPICE_TRY(
      client->Create(api::kPodCliqueSets, set, {.field_validation = "Strict", .dry_run = true}));
  if (!config.policy().ValidatesGeneratedObjects()) return {};
  operators::webhooks::Causes causes;
  operators::webhooks::CheckPodTemplates(*client, api::grove::ReadPodCliqueSet(set), {}, causes);
  if (causes.empty()) return {};
  return operators::webhooks::Denial(operators::webhooks::kSetValidatorName, causes);
}

}  // namespace coppice::cli
