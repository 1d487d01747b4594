#pragma once

#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "http/crypto/tls.h"
#include "kube/client/client.h"
#include "services/platform/model/operand.h"

// Webhooks of services without a platform operator: the process manages its certificate and its
// webhook configurations itself.
namespace coppice::services::platform {

struct OwnWebhooks {
  std::string ns;       // Of the Service and the Secret.
  std::string service;  // The API server reaches us through it.
  int port = 443;       // The Service's.
  std::string scheduler_name = "kai-scheduler";
  bool pods = false;   // Pods and topologies.
  std::string placed;  // Also selects these pods of other schedulers (AdmissionWebhooks).
  bool queues = false;
  bool pod_groups = false;
  MakeCertificate make_certificate = http::MakeSelfSignedCertificate;
};

// The certificate in the Secret `<service>-tls`, which all replicas share; it is created if
// missing. If two replicas do so at once, the first write wins for both.
base::Result<http::KeyPair> EnsureOwnCertificate(kube::Client& client, const OwnWebhooks& webhooks,
                                                 base::Time now);

// Registers the webhooks with the API server. Called once we listen, because from then on requests
// depend on our response.
base::Status RegisterWebhooks(kube::Client& client, const OwnWebhooks& webhooks, base::Time now);

}  // namespace coppice::services::platform
