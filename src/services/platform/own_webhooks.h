#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/crypto/tls.h"
#include "kube/client/client.h"
#include "services/platform/model/operand.h"

// Webhooks of services that no platform operator deploys: the process looks after its certificate
// and its webhook configurations itself.
namespace coppice::services::platform {

struct OwnWebhooks {
  std::string ns;       // Of the Service and the Secret.
  std::string service;  // The API server finds us through it.
  int port = 443;       // The Service's.
  std::string scheduler_name = "kai-scheduler";
  bool pods = false;   // Pods and topologies.
  std::string placed;  // Pods of other schedulers that are to be seen too (AdmissionWebhooks).
  bool queues = false;
  bool pod_groups = false;
  MakeCertificate make_certificate = http::MakeSelfSignedCertificate;
};

// The certificate in the Secret `<service>-tls`, which all replicas share; it is made when it is
// missing. When two replicas do so at once, the first to write wins for both.
base::Result<http::KeyPair> EnsureOwnCertificate(kube::Client& client, const OwnWebhooks& webhooks,
                                                 base::Time now);

// Tells the API server to ask us. Called when we listen, for from then on nothing passes without
// our answer.
base::Status RegisterWebhooks(kube::Client& client, const OwnWebhooks& webhooks, base::Time now);

}  // namespace coppice::services::platform
