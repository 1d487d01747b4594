#include "cli/run/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <mutex>

#include "backends/framework/registry.h"
#include "backends/model/retry.h"
#include "backends/sync/component.h"
#include "base/log.h"
#include "cli/common/fail.h"
#include "cli/common/files.h"
#include "cli/common/unauthorized.h"
#include "cli/common/wait.h"
#include "cli/run/address.h"
#include "cli/run/backend_accounts.h"
#include "cli/run/file_watch.h"
#include "cli/run/operator_config.h"
#include "cli/run/operator_webhooks.h"
#include "cli/run/own_image.h"
#include "cli/run/reservation.h"
#include "cli/run/service_webhooks.h"
#include "http/server/admin_server.h"
#include "kube/client/measured_client.h"
#include "kube/executor/thread_executor.h"
#include "kube/metrics.h"
#include "kube/process/fenced_client.h"
#include "kube/process/leader.h"
#include "kube/process/readiness.h"
#include "operator/preflight.h"
#include "services/flag_help.h"
#include "stack/components.h"

namespace coppice::cli {
namespace {

std::string Identity() {
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}_{}", host, getpid());
}

bool InCluster() { return std::getenv("KUBERNETES_SERVICE_HOST") != nullptr; }

std::string OwnNamespace(const std::string& fallback) {
  for (const char* name : {"POD_NAMESPACE", "NAMESPACE"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != 0) return value;
  }
  const auto mounted = ReadFile("/var/run/secrets/kubernetes.io/serviceaccount/namespace");
  return mounted && !mounted->empty() ? *mounted : fallback;
}

std::string EnvironmentOr(const char* name, std::string fallback) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : std::move(fallback);
}

// Defaults from the environment, as in KAI's processes; flags override them.
services::AllOptions DefaultServices() {
  services::AllOptions options;
  options.platform.images.repository = EnvironmentOr("MS_REPOSITORY", "");
  options.platform.images.tag = EnvironmentOr("MS_TAG", "");
  options.platform.images.single_image = EnvironmentOr("COPPICE_IMAGE", "");
  options.binder.reservation_image = OwnImage();
  options.scaleadjuster.scaling_pod_image = OwnImage();
  options.numaexporter.node_name = EnvironmentOr("NODE_NAME", "");
  if (InCluster()) options.scheduler.plugin_server_port = 8081;
  return options;
}

// Exit codes of Grove's operator.
enum Stage {
  kCommandLine = 1,
  kConfiguration = 2,
  kManager = 4,  // Connection, webhooks, certificates, endpoints.
  kBackends = 5,
  kStart = 6,
  kMnnvl = 7,
};

class Process {
 public:
  explicit Process(const RunOptions& options) : options_(options) {}

  base::Status Start() {
    COPPICE_TRY(CheckNames());
    COPPICE_TRY(ReadServiceFlags());
    stage_ = kConfiguration;
    COPPICE_TRY(ReadConfig());
    if (options_.dry_run) return CheckBackends();
    stage_ = kManager;
    COPPICE_ASSIGN(connection_, Connect(options_.cluster, executor_));
    if (Runs("operator")) {
      stage_ = kMnnvl;
      COPPICE_TRY(operators::CheckPrerequisites(*connection_, config_));
      stage_ = kManager;
    }
    COPPICE_ASSIGN(std::string host, ServerHost(options_.cluster, executor_));
    measured_ = std::make_unique<kube::MeasuredClient>(*connection_, *metrics_, std::move(host));
    known_ = std::make_unique<UnauthorizedWatch>(*measured_, [this] { Unauthorized(); });
    client_ = std::make_unique<kube::ReadinessClient>(
        *known_, executor_, kube::ReadinessClient::Options{.ns = options_.lease_namespace});
    client_->Start();
    COPPICE_ASSIGN(webhooks_, ServiceWebhooks::Start(
                                  *connection_, executor_, services_,
                                  {.ns = options_.lease_namespace,
                                   .pods = Runs("admission"),
                                   .queues = Runs("queues") && services_.queue_webhook,
                                   .pod_groups = Runs("podgroups") && services_.podgroup_webhook},
                                  *metrics_));
    if (Runs("operator")) {
      COPPICE_TRY(FindUsers());
      COPPICE_ASSIGN(operator_webhooks_,
                     OperatorWebhooks::Start(*connection_, executor_, config_,
                                             {.config = config_text_,
                                              .url = services_.process.webhook_url,
                                              .ns = options_.lease_namespace}));
    }
    FollowConfig();
    for (const std::string& address : AdminAddresses()) COPPICE_TRY(StartAdmin(address));
    if (!options_.leader_elect) return StartComponents(*client_);
    elector_ = std::make_unique<kube::LeaderElector>(
        *client_, executor_,
        kube::LeaderElector::Options{.ns = options_.lease_namespace,
                                     .name = LeaseName(),
                                     .identity = Identity(),
                                     .metrics = metrics_.get()},
        kube::LeaderElector::Callbacks{.on_started = [this] { Lead(); },
                                       .on_stopped = [this] { End("lost the lease"); }});
    fenced_ = std::make_unique<kube::FencedClient>(*client_, *elector_);
    elector_->Start();
    return {};
  }

  bool dry_run() const { return options_.dry_run; }
  // For a process that could not start: Grove's exit code if it is the operator, else 1.
  int exit_code() const {
    return Runs("operator") ? stage_.load() : static_cast<int>(kCommandLine);
  }
  // It stopped itself because it could not continue.
  bool failed() const { return failed_; }

  void Stop() {
    if (watch_) watch_->Stop();
    webhooks_.reset();
    admin_.clear();
    if (manager_) manager_->Stop();
    // After the manager, because the controllers' own writes go through these webhooks.
    operator_webhooks_.reset();
    if (elector_) elector_->Stop();
    if (client_) client_->Stop();
  }

 private:
  bool IsBackend() const { return !options_.what.empty() && options_.what[0] == "backend"; }

  base::Status CheckNames() {
    if (IsBackend()) return {};
    const std::vector<std::string> known = RunnableComponents();
    for (const std::string& name : options_.what) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      return base::InvalidArgument(
          fmt::format("no component to run is called \"{}\"; there are {}, backend, reservation "
                      "and scalingpod",
                      name, fmt::join(known, ", ")));
    }
    return {};
  }

  // The authorizer protects the objects of a set, so it must know the operator and the backends
  // that run in other processes, which annotate gangs that they restart.
  base::Status FindUsers() {
    if (!config_.authorizer) return {};
    if (options_.without_backends) {
      COPPICE_ASSIGN(const auto set, backends::BackendSet::Make(config_.backends));
      for (std::string& user : BackendUsers(*set, options_.lease_namespace)) {
        config_.exempt_users.push_back(std::move(user));
      }
    }
    auto user = operators::OwnUser(*connection_);
    const char* account = std::getenv("GROVE_OPERATOR_SERVICE_ACCOUNT_NAME");
    if (!user && account == nullptr) {
      return user.error().During(
          "authorizer.enabled would lock the operator out of its own objects (name it in "
          "GROVE_OPERATOR_SERVICE_ACCOUNT_NAME)");
    }
    config_.operator_user =
        user ? *std::move(user)
             : fmt::format("system:serviceaccount:{}:{}", options_.lease_namespace, account);
    return {};
  }

  base::Status ReadConfig() {
    if (options_.config_file.empty()) {
      COPPICE_ASSIGN(config_, ReadOperatorConfig(""));
    } else {
      COPPICE_ASSIGN(config_text_, ReadFile(options_.config_file));
      COPPICE_ASSIGN(config_, ParseOperatorConfig(config_text_));
    }
    UseLogOf(config_);
    return {};
  }

  // Checks without a cluster that every profile, shared object and declaration yields a backend.
  base::Status CheckBackends() {
    stage_ = kBackends;
    COPPICE_ASSIGN(const auto set, backends::BackendSet::Make(config_.backends));
    return IsBackend() ? backends::CheckBackendIds(*set, BackendIds()) : base::Status();
  }

  std::vector<std::string> BackendIds() const {
    return {options_.what.begin() + 1, options_.what.end()};
  }

  bool Runs(std::string_view component) const {
    return std::find(options_.what.begin(), options_.what.end(), component) != options_.what.end();
  }

  base::Status ReadServiceFlags() {
    COPPICE_TRY(services::ReadFlags(options_.what, options_.flags, services_));
    const services::ProcessOptions& process = services_.process;
    options_.leader_elect = process.leader_elect;
    options_.dry_run = process.dry_run;
    options_.without_backends = process.without_backends;
    options_.config_file = process.config;
    options_.cluster = {.kubeconfig = process.kubeconfig,
                        .context = process.context,
                        .max_in_flight = process.max_requests_in_flight,
                        .max_per_second = process.max_requests_per_second};
    if (!process.admin_address.empty()) options_.admin_address = process.admin_address;
    options_.lease_namespace = LeaseNamespace();
    base::SetLogJson(process.json_log);
    if (!process.log_level.empty()) {
      COPPICE_ASSIGN(const base::LogLevel level, base::ParseLogLevel(process.log_level));
      base::SetLogLevel(level);
    }
    return {};
  }

  // Flags take precedence over the operator's configuration.
  void UseLogOf(const operators::Config& config) const {
    const services::ProcessOptions& process = services_.process;
    if (config.log_level && process.log_level.empty() && !options_.log_level_given) {
      base::SetLogLevel(*config.log_level);
    }
    if (config.json_log && !process.json_log) base::SetLogJson(*config.json_log);
  }

  // The flag, else the scheduler's namespace, else the pod's.
  std::string LeaseNamespace() const {
    if (!services_.process.lease_namespace.empty()) return services_.process.lease_namespace;
    if (Runs("scheduler") && InCluster()) return services_.scheduler.ns;
    return OwnNamespace(options_.lease_namespace);
  }

  // A process with one KAI service uses the same Lease as KAI's own process, so that the two never
  // run at the same time.
  std::string LeaseName() const {
    if (IsBackend()) return BackendAccount(BackendIds());  // Each backend has its own leader.
    const std::string own =
        options_.what.size() == 1 ? services::LeaseName(options_.what[0], services_) : "";
    return own.empty() ? fmt::format("coppice-{}", options_.what.front()) : own;
  }

  // Those from flags; else KAI's addresses in a pod, and our own default elsewhere.
  std::vector<std::string> AdminAddresses() const {
    const services::ProcessOptions& process = services_.process;
    std::vector<std::string> addresses;
    for (const std::string& address :
         {process.admin_address, process.metrics_address, process.probe_address}) {
      if (!address.empty() && address != "0") addresses.push_back(address);
    }
    if (addresses.empty()) addresses.push_back(InCluster() ? ":8080" : options_.admin_address);
    return addresses;
  }

  kube::Backoff Retry() const {
    if (Runs("operator") || IsBackend()) return backends::kRetry;
    if (options_.what.size() != 1) return {};
    if (options_.what[0] == "binder") return services_.binder.retry;
    if (options_.what[0] != "grouper" && options_.what[0] != "podgroups") return {};
    return {std::chrono::seconds(1), std::chrono::seconds(60)};
  }

  // Exits so that the supervisor restarts us. Signals the whole process, because another thread
  // waits for signals.
  void End(const std::string& why) {
    base::LogError(why);
    failed_ = true;
    kill(getpid(), SIGTERM);
  }

  // The scheduler restarts to get a new token; the other components wait until theirs is valid
  // again.
  void Unauthorized() {
    if (Runs("scheduler") && !failed_) End("the server does not know us (401)");
  }

  void Lead() {
    const base::Status started = StartComponents(*fenced_);
    if (started) return;
    End("cannot start: " + started.error().message());
  }

  base::Status StartComponents(kube::Client& client) {
    stage_ = kBackends;
    manager_ = kube::Manager::Make(
        client, executor_,
        {.metrics = metrics_.get(), .share_equal_parts = true, .retry = Retry()});
    const std::lock_guard lock(config_mutex_);
    if (IsBackend()) {
      COPPICE_TRY(AddBackends());
    } else {
      stack::ComponentContext context{.manager = *manager_,
                                      .operator_config = config_,
                                      .services = services_,
                                      .backends_elsewhere = options_.without_backends,
                                      .on_outdated = [this] {
                                        if (!failed_) End("the SchedulingShards have changed");
                                      }};
      COPPICE_TRY(stack::AddComponents(options_.what, context));
      backends_ = context.backends;
    }
    stage_ = kStart;
    manager_->Start();
    running_ = manager_.get();
    base::LogInfo("running", {{"components", fmt::format("{}", fmt::join(options_.what, ","))}});
    return {};
  }

  base::Status AddBackends() {
    COPPICE_ASSIGN(backends_, backends::MakeBackends(*manager_, config_.backends));
    return backends::AddToManager(*manager_, *backends_, {.only = BackendIds()});
  }

  // Also if another replica is the leader, because webhooks are served anyway.
  void FollowConfig() {
    if (options_.config_file.empty() || !(Runs("operator") || IsBackend())) return;
    watch_ = std::make_unique<FileWatch>(executor_, options_.config_file, config_text_,
                                         [this](const std::string& text) { Reconfigure(text); });
    watch_->Start();
  }

  base::Status Apply(const backends::BackendConfig& config) {
    const std::lock_guard lock(config_mutex_);
    COPPICE_TRY(backends::BackendSet::Make(config));
    if (operator_webhooks_) COPPICE_TRY(operator_webhooks_->Reconfigure(config));
    if (backends_) COPPICE_TRY(backends_->Reconfigure(config));
    config_.backends = config;
    return {};
  }

  // An invalid file changes nothing.
  void Reconfigure(const std::string& text) {
    const auto config = ParseOperatorConfig(text);
    const base::Status applied = config ? Apply(config->backends) : base::Status(config.error());
    if (applied) {
      UseLogOf(*config);
      base::LogInfo("took over the changed configuration", {{"file", options_.config_file}});
    } else {
      base::LogError("the changed configuration is refused; the old one stays in force",
                     {{"file", options_.config_file}, {"error", applied.error().ToString()}});
    }
  }

  base::Status StartAdmin(const std::string& where) {
    COPPICE_ASSIGN(const Address address, ParseAddress(where));
    http::AdminOptions admin{.address = address.host, .port = address.port};
    admin.metrics = [this] { return metrics_->Text(); };
    admin.ready = [this]() -> base::Status {
      kube::Manager* manager = running_;
      if (manager != nullptr && !manager->Synced()) {
        return base::Unavailable("the caches have not synced yet");
      }
      if (webhooks_) COPPICE_TRY(webhooks_->Ready());
      if (operator_webhooks_) COPPICE_TRY(operator_webhooks_->Ready());
      return client_->Ready();
    };
    COPPICE_ASSIGN(auto server, http::AdminServer::Start(std::move(admin)));
    base::LogInfo("admin server", {{"url", server->Url()}});
    admin_.push_back(std::move(server));
    return {};
  }

  RunOptions options_;
  std::atomic<int> stage_ = kCommandLine;  // The stage that a failure now would belong to.
  std::atomic<bool> failed_ = false;       // After it had started.
  std::mutex config_mutex_;                // Guards config_.backends and backends_.
  std::string config_text_;                // The file's content at start.
  operators::Config config_;
  services::AllOptions services_ = DefaultServices();
  std::unique_ptr<kube::Metrics> metrics_ = kube::Metrics::Make();
  kube::ThreadExecutor executor_;
  std::unique_ptr<kube::Client> connection_;
  std::unique_ptr<kube::MeasuredClient> measured_;
  std::unique_ptr<UnauthorizedWatch> known_;
  std::unique_ptr<kube::ReadinessClient> client_;
  std::unique_ptr<kube::LeaderElector> elector_;
  std::unique_ptr<kube::FencedClient> fenced_;
  std::shared_ptr<backends::Backends> backends_;
  std::unique_ptr<kube::Manager> manager_;
  // Null until this process is the leader and starts its components.
  std::atomic<kube::Manager*> running_ = nullptr;
  std::unique_ptr<ServiceWebhooks> webhooks_;  // Null: none are served.
  std::unique_ptr<OperatorWebhooks> operator_webhooks_;
  std::vector<std::unique_ptr<http::AdminServer>> admin_;
  std::unique_ptr<FileWatch> watch_;
};

}  // namespace

int RunComponents(const RunOptions& options) {
  if (options.what.empty()) return Fail(base::InvalidArgument("name at least one component"));
  if (options.what.front() == "reservation") return RunReservation(options);
  // A scaling pod is done once it has started.
  if (options.what.front() == "scalingpod") return 0;
  BlockSignals();
  Process process(options);
  if (const base::Status started = process.Start(); !started) {
    Fail(started.error());
    return process.exit_code();
  }
  if (process.dry_run()) {
    fmt::print("the configuration is valid\n");
    return 0;
  }
  WaitForSignal();
  process.Stop();
  return process.failed() ? process.exit_code() : 0;
}

namespace {

std::string List(bool embedded) {
  std::string out = "Components:\n";
  for (const stack::Component& component : stack::Components()) {
    if (component.embedded_only && !embedded) continue;
    const bool by_name_only = embedded && !component.in_all;
    out += fmt::format("  {:<14} {}{}\n", component.name, component.about,
                       by_name_only ? " (not in all)" : "");
  }
  return out;
}

}  // namespace

std::vector<std::string> RunnableComponents() {
  std::vector<std::string> names;
  for (const stack::Component& component : stack::Components()) {
    if (!component.embedded_only) names.push_back(component.name);
  }
  return names;
}

std::string ListAllComponents() { return List(true); }

std::string ListComponents() {
  std::string out = List(false);
  out += "  backend NAME…  controllers of these backends only\n";
  out += "  reservation    reports the GPU of a reservation pod (--print lists the GPUs here)\n";
  return out + "  scalingpod     exits at once: a node was found for it\n";
}

std::string ExplainComponentFlags(const std::vector<std::string>& arguments) {
  std::vector<std::string> named;
  for (const stack::Component& component : stack::Components()) {
    if (std::ranges::find(arguments, component.name) != arguments.end()) {
      named.emplace_back(component.name);
    }
  }
  if (named.empty()) return "\nFor a component's flags: coppice run COMPONENT… --help\n";
  return fmt::format("\nFlags of {}:\n{}", fmt::join(named, ", "), services::DescribeFlags(named));
}

}  // namespace coppice::cli
