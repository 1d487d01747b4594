#include "cli/common/connect.h"

#include "kube/config/kubeconfig.h"
#include "kube/transport/http_client.h"

namespace coppice::cli {
namespace {

base::Result<kube::ClusterConfig> ReadConfig(const ClusterFlags& flags, kube::Executor& executor) {
  const kube::KubeconfigOptions options{.path = flags.kubeconfig, .context = flags.context};
  auto config = kube::LoadClusterConfig(options, executor.clock());
  if (!config) return config.error().During("reading the kubeconfig");
  if (flags.as.empty() && !flags.as_groups.empty()) {
    return base::InvalidArgument("--as-group needs --as: groups are those of a user");
  }
  if (flags.as.empty()) return config;
  config->impersonation = {};
  config->impersonation.Add("Impersonate-User", flags.as);
  for (const std::string& group : flags.as_groups) {
    config->impersonation.Add("Impersonate-Group", group);
  }
  return config;
}

}  // namespace

base::Result<std::string> CurrentNamespace(const ClusterFlags& flags, kube::Executor& executor) {
  COPPICE_ASSIGN(const kube::ClusterConfig config, ReadConfig(flags, executor));
  return config.ns;
}

base::Result<std::string> ServerHost(const ClusterFlags& flags, kube::Executor& executor) {
  COPPICE_ASSIGN(const kube::ClusterConfig config, ReadConfig(flags, executor));
  std::string_view host = config.server;
  if (const size_t scheme = host.find("://"); scheme != host.npos) host.remove_prefix(scheme + 3);
  return std::string(host.substr(0, host.find('/')));
}

base::Result<std::unique_ptr<kube::Client>> Connect(const ClusterFlags& flags,
                                                    kube::Executor& executor) {
  COPPICE_ASSIGN(kube::ClusterConfig config, ReadConfig(flags, executor));
  return kube::MakeHttpClient(std::move(config), executor,
                              {.max_in_flight = flags.max_in_flight,
                               .max_per_second = flags.max_per_second,
                               .drop_managed_fields = true,
                               .share_equal_parts = true});
}

}  // namespace coppice::cli
