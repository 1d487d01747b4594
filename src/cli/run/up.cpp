#include "cli/run/up.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <random>

#include "base/log.h"
#include "cli/common/fail.h"
#include "cli/common/files.h"
#include "cli/common/wait.h"
#include "cli/run/address.h"
#include "cli/run/operator_config.h"
#include "cli/run/own_image.h"
#include "http/own_addresses.h"
#include "http/server/admin_server.h"
#include "json/yaml/yaml.h"
#include "kube/executor/thread_executor.h"
#include "kube/metrics.h"
#include "server/front/http_front.h"
#include "stack/components.h"
#include "stack/stack.h"

namespace coppice::cli {
namespace {

constexpr int kUsageError = 2;

base::Result<sim::ClusterShape> ReadShape(const UpOptions& options) {
  if (!options.cluster_file.empty()) {
    COPPICE_ASSIGN(const std::string text, ReadFile(options.cluster_file));
    COPPICE_ASSIGN(const json::Value document, json::ParseYaml(text));
    return sim::ReadClusterShape(document);
  }
  sim::ClusterShape shape;
  if (options.nodes > 0) shape.pools = {{.count = options.nodes, .gpus = options.gpus}};
  if (!options.topology.empty()) {
    COPPICE_ASSIGN(shape.levels, sim::ParseTopology(options.topology));
  }
  return shape;
}

base::Result<server::HttpFront::Options> ReadListen(const UpOptions& options) {
  const auto address = ParseAddress(options.listen);
  if (!address) return address.error().During("--listen");
  server::HttpFront::Options front;
  front.address = address->host;
  front.port = address->port;
  const bool everywhere = address->host == "0.0.0.0" || address->host == "::";
  if (everywhere) front.hosts = http::OwnAddresses();
  front.audit_log = options.audit_log;
  front.max_requests_in_flight = options.max_requests_in_flight;
  front.max_requests_per_second = options.max_requests_per_second;
  return front;
}

// The components' configuration from files, flags and the environment.
base::Result<stack::StackOptions> ReadConfiguration(const UpOptions& options) {
  stack::StackOptions stack;
  COPPICE_ASSIGN(stack.components, stack::ParseComponents(options.components));
  stack.services.binder.reservation_image = OwnImage();
  stack.services.scaleadjuster.scaling_pod_image = OwnImage();
  COPPICE_TRY(services::ReadComponentFlags(stack.components, options.flags, stack.services));
  auto config = ReadOperatorConfig(options.operator_config);
  if (!config) return config.error().During("--operator-config");
  stack.operator_config = *std::move(config);
  if (stack.operator_config.authorizer) {
    base::LogWarn("authorizer.enabled has no effect here: the embedded server does not ask it");
  }
  return stack;
}

class Up {
 public:
  Up(const UpOptions& options, stack::StackOptions stack)
      : options_(options), stack_options_(std::move(stack)) {}

  base::Status Start() {
    stack::StackOptions stack = stack_options_;
    COPPICE_ASSIGN(stack.shape, ReadShape(options_));
    COPPICE_ASSIGN(const server::HttpFront::Options front, ReadListen(options_));
    // Work that cannot be preempted, such as a Deployment, starts only within its queue's quota.
    stack.default_quota = -1;
    stack.data_dir = options_.data_dir;
    stack.accept_data_loss = options_.accept_data_loss;
    stack.kubernetes_version = options_.kubernetes_version;
    stack.seed = std::random_device()();  // Uids differ from run to run.
    stack.metrics = metrics_.get();
    stack.on_outdated = AskToRestart;
    COPPICE_ASSIGN(stack_, stack::Stack::Make(executor_, std::move(stack)));
    COPPICE_ASSIGN(front_, server::HttpFront::Start(stack_->server(), executor_, front));
    COPPICE_TRY(stack_->Start());
    COPPICE_TRY(StartAdmin());
    COPPICE_TRY(StartPage());
    front_->SetReady(true);
    return front_->WriteKubeconfig(options_.kubeconfig);
  }

  base::Status Restart() {
    base::LogInfo("the SchedulingShards have changed: components start afresh");
    return stack_->Start();
  }

  void Announce() const {
    fmt::print("Kubernetes API at {}\n", front_->Url());
    fmt::print("  export KUBECONFIG={}\n", std::filesystem::absolute(options_.kubeconfig).string());
    fmt::print("  kubectl get nodes        coppice tree        coppice queues\n");
    if (page_) fmt::print("Web page: {}\n", page_->Url());
    fmt::print("Metrics and log level of the components: {}\n", admin_->Url());
    fmt::print("Ctrl-C ends it.\n");
    std::fflush(stdout);
  }

  void Stop() {
    front_->SetReady(false);
    page_.reset();
    admin_.reset();
    stack_->Stop();
    front_->Stop();
  }

 private:
  // The components' admin server, as in `coppice run`; the API server has its own /metrics.
  base::Status StartAdmin() {
    const auto address = ParseAddress(options_.admin_address);
    if (!address) return address.error().During("--admin-address");
    COPPICE_ASSIGN(admin_, http::AdminServer::Start({
                               .address = address->host,
                               .port = address->port,
                               .metrics = [this] { return metrics_->Text(); },
                           }));
    return {};
  }

  // With an administrator's rights, as the kubeconfig; hence the token in its URL.
  base::Status StartPage() {
    if (options_.page == "none" || !options_.serve_page) return {};
    auto page = options_.serve_page(stack_->client(), executor_, front_->Url());
    if (!page) return page.error().During("--page");
    page_ = *std::move(page);
    return {};
  }

  UpOptions options_;
  stack::StackOptions stack_options_;
  kube::ThreadExecutor executor_{stack::StackThreads(options_.data_dir.empty())};
  const std::unique_ptr<kube::Metrics> metrics_ = kube::Metrics::Make();
  std::unique_ptr<stack::Stack> stack_;
  std::unique_ptr<server::HttpFront> front_;
  std::unique_ptr<http::AdminServer> admin_;
  std::unique_ptr<page::PageServer> page_;
};

}  // namespace

int RunUp(const UpOptions& options) {
  auto configured = ReadConfiguration(options);
  if (!configured) {
    Fail(configured.error());
    return kUsageError;
  }
  BlockSignals();
  Up up(options, *std::move(configured));
  if (const base::Status started = up.Start(); !started) return Fail(started.error());
  up.Announce();
  while (WaitForSignal() == kRestartSignal) {
    if (const base::Status restarted = up.Restart(); !restarted) return Fail(restarted.error());
  }
  up.Stop();
  return 0;
}

}  // namespace coppice::cli
