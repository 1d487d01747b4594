#pragma once

#include <string>
#include <vector>

#include "services/admission/options.h"
#include "services/binder/model/options.h"
#include "services/common/flags.h"
#include "services/grouper/groups/grouper.h"
#include "services/numaexporter/exporter.h"
#include "services/platform/controller.h"
#include "services/podgroups/controller.h"
#include "services/queues/controller.h"
#include "services/scaleadjuster/scaling_pods.h"
#include "services/scheduler/options/options.h"

namespace coppice::services {

// Flags that every process has (docs/behaviour/services.md K-09).
struct ProcessOptions {
  std::string kubeconfig;
  std::string context;
  std::string config;  // The operator's configuration file.
  bool dry_run = false;
  bool without_backends = false;
  std::string lease_namespace;
  std::string admin_address;
  bool leader_elect = false;
  double qps = 50;
  int burst = 300;
  int max_requests_in_flight = 0;  // Our own limit; 0: only the client's adaptive one.
  double max_requests_per_second = 0;
  std::string metrics_address;  // ":8080"; empty: the default.
  std::string probe_address;
  bool json_log = false;
  std::string log_level;
  int webhook_port = 9443;
  std::string webhook_service;  // Service of the services' webhooks; "": registered by others.
  std::string webhook_url;      // URL of the operator's webhooks; "": through its Service.
  std::string webhook_certificates = "/tmp/k8s-webhook-server/serving-certs";
};

// The options of every service, as flags set them.
struct AllOptions {
  ProcessOptions process;
  scheduler::Options scheduler;
  binder::Options binder;
  grouper::Options grouper;
  podgroups::Options podgroups;
  queues::Options queues;
  scaleadjuster::Options scaleadjuster;
  numaexporter::Options numaexporter;
  admission::Options admission;
  platform::Options platform;
  bool podgroup_webhook = true;
  bool queue_webhook = true;
};

// The components named on a command line. Knows the flags of every component.
base::Result<std::vector<std::string>> FindComponents(const std::vector<std::string>& arguments);

// Reads the flags of the named components ("scheduler", "binder", …), all of which one process
// runs. A flag is accepted if one of them knows it.
base::Status ReadFlags(const std::vector<std::string>& components,
                       const std::vector<std::string>& arguments, AllOptions& options);

// The same for component flags only, without those that every process has.
base::Status ReadComponentFlags(const std::vector<std::string>& components,
                                const std::vector<std::string>& arguments, AllOptions& options);

// The flags that a process of these components knows, without those that have no effect.
std::vector<FlagSet::Entry> ListFlags(const std::vector<std::string>& components);
// Component flags only.
std::vector<FlagSet::Entry> ListComponentFlags(const std::vector<std::string>& components);

// The Lease that upstream's process of this kind holds; "" for components of our own.
std::string LeaseName(const std::string& component, const AllOptions& options);

}  // namespace coppice::services
