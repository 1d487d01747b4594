#include "cli/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <future>

#include "backends/component.h"
#include "base/log.h"
#include "cli/address.h"
#include "cli/file_watch.h"
#include "cli/operator_config.h"
#include "cli/views.h"
#include "cli/wait.h"
#include "http/admin_server.h"
#include "kube/leader.h"
#include "kube/metrics.h"
#include "kube/readiness.h"
#include "kube/thread_executor.h"
#include "sim/components.h"

namespace coppice::cli {
namespace {

std::string Identity() {
  char host[256] = "localhost";
  gethostname(host, sizeof host - 1);
  return fmt::format("{}_{}", host, getpid());
}

class Process {
 public:
  explicit Process(const RunOptions& options) : options_(options) {}

  base::Status Start() {
    COPPICE_ASSIGN(config_, ReadOperatorConfig(options_.config_file));
    COPPICE_TRY(CheckNames());
    if (options_.dry_run) return {};
    COPPICE_ASSIGN(connection_, Connect(options_.cluster, executor_));
    client_ = std::make_unique<kube::ReadinessClient>(
        *connection_, executor_, kube::ReadinessClient::Options{.ns = options_.lease_namespace});
    client_->Start();
    COPPICE_TRY(StartAdmin());
    if (!options_.leader_elect) return StartComponents(*client_);
    elector_ = std::make_unique<kube::LeaderElector>(
        *client_, executor_,
        kube::LeaderElector::Options{.ns = options_.lease_namespace,
                                     .name = fmt::format("coppice-{}", options_.what.front()),
                                     .identity = Identity()},
        kube::LeaderElector::Callbacks{.on_started = [this] { Lead(); },
                                       .on_stopped =
                                           [this] {
                                             base::LogError("lost the lease");
                                             raise(SIGTERM);
                                           }});
    fenced_ = std::make_unique<kube::FencedClient>(*client_, *elector_);
    elector_->Start();
    return {};
  }

  void Stop() {
    if (watch_) watch_->Stop();
    admin_.reset();
    if (manager_) manager_->Stop();
    if (elector_) elector_->Stop();
    if (client_) client_->Stop();
  }

 private:
  bool IsBackend() const { return !options_.what.empty() && options_.what[0] == "backend"; }

  base::Status CheckNames() {
    if (IsBackend()) return {};
    COPPICE_TRY(sim::ParseComponents(fmt::format("{}", fmt::join(options_.what, ","))));
    return {};
  }

  void Lead() {
    const base::Status started = StartComponents(*fenced_);
    if (started) return;
    base::LogError("cannot start", {{"error", started.error().message()}});
    raise(SIGTERM);
  }

  base::Status StartComponents(kube::Client& client) {
    manager_ = kube::Manager::Make(client, executor_);
    if (IsBackend()) {
      COPPICE_TRY(AddBackends());
    } else {
      sim::ComponentContext context{.manager = *manager_,
                                    .operator_config = config_,
                                    .backends_elsewhere = options_.without_backends};
      COPPICE_TRY(sim::AddComponents(options_.what, context));
      backends_ = context.backends;
    }
    manager_->Start();
    FollowConfig();
    running_ = manager_.get();
    base::LogInfo("running", {{"components", fmt::format("{}", fmt::join(options_.what, ","))}});
    return {};
  }

  base::Status AddBackends() {
    COPPICE_ASSIGN(backends_, backends::MakeBackends(*manager_, config_.backends));
    const std::vector<std::string> names(options_.what.begin() + 1, options_.what.end());
    return backends::AddToManager(*manager_, *backends_, {.only = names});
  }

  void FollowConfig() {
    if (options_.config_file.empty() || !backends_) return;
    watch_ =
        std::make_unique<FileWatch>(executor_, options_.config_file, [this] { Reconfigure(); });
    watch_->Start();
  }

  // A broken file changes nothing.
  void Reconfigure() {
    const auto config = ReadOperatorConfig(options_.config_file);
    const base::Status applied =
        config ? backends_->Reconfigure(config->backends) : base::Status(config.error());
    if (applied) {
      base::LogInfo("took over the changed configuration", {{"file", options_.config_file}});
    } else {
      base::LogError("the changed configuration is refused; the old one stays in force",
                     {{"file", options_.config_file}, {"error", applied.error().ToString()}});
    }
  }

  base::Status StartAdmin() {
    COPPICE_ASSIGN(const Address address, ParseAddress(options_.admin_address));
    http::AdminOptions admin{.address = address.host, .port = address.port};
    admin.metrics = [this] {
      kube::Manager* manager = running_;
      return manager != nullptr ? manager->runtime().metrics.Text() : std::string();
    };
    admin.ready = [this]() -> base::Status {
      kube::Manager* manager = running_;
      if (manager != nullptr && !manager->Synced()) {
        return base::Unavailable("the caches have not synced yet");
      }
      return client_->Ready();
    };
    COPPICE_ASSIGN(admin_, http::AdminServer::Start(std::move(admin)));
    base::LogInfo("admin server", {{"url", admin_->Url()}});
    return {};
  }

  RunOptions options_;
  operators::Config config_;
  kube::ThreadExecutor executor_;
  std::unique_ptr<kube::Client> connection_;
  std::unique_ptr<kube::ReadinessClient> client_;
  std::unique_ptr<kube::LeaderElector> elector_;
  std::unique_ptr<kube::FencedClient> fenced_;
  std::shared_ptr<backends::Backends> backends_;
  std::unique_ptr<kube::Manager> manager_;
  std::atomic<kube::Manager*> running_ = nullptr;  // Null until a leader starts its components.
  std::unique_ptr<http::AdminServer> admin_;
  std::unique_ptr<FileWatch> watch_;
};

}  // namespace

int RunComponents(const RunOptions& options) {
  if (options.what.empty()) return Fail(base::InvalidArgument("name at least one component"));
  BlockSignals();
  Process process(options);
  if (const base::Status started = process.Start(); !started) return Fail(started.error());
  if (options.dry_run) {
    fmt::print("the configuration is valid\n");
    return 0;
  }
  WaitForSignal();
  process.Stop();
  return 0;
}

std::string ListComponents() {
  std::string out = "Components:\n";
  for (const sim::Component& component : sim::Components()) {
    if (!component.embedded_only) {
      out += fmt::format("  {:<14} {}\n", component.name, component.about);
    }
  }
  return out + "  backend NAME…  only the controllers of these backends\n";
}

}  // namespace coppice::cli
