#include "cli/run/operator_webhooks.h"

#include <fmt/format.h>

#include "api/view/groveconfig.h"
#include "api/well_known.h"
#include "backends/sync/component.h"
#include "cli/run/address.h"
#include "json/yaml/yaml.h"
#include "kube/process/manager.h"
#include "operator/webhooks/serving.h"

namespace coppice::cli {
namespace {

using namespace operators::webhooks;
using json::Value;

// "https://127.0.0.1:2750".
base::Result<uint16_t> PortOf(std::string_view url) {
  constexpr std::string_view kScheme = "https://";
  if (!url.starts_with(kScheme)) {
    return base::InvalidArgument(fmt::format("a webhook's URL starts with https://: \"{}\"", url));
  }
  COPPICE_ASSIGN(const Address address, ParseAddress(url.substr(kScheme.size())));
  return address.port;
}

base::Result<std::optional<ServingOptions>> ReadOptions(const OperatorWebhookOptions& options) {
  Value document;
  if (!options.config.empty()) {
    COPPICE_ASSIGN(document, json::ParseYaml(options.config));
  }
  const view::groveconfig::OperatorConfiguration given(document);
  if (options.url.empty() && !given.server().has_webhooks()) {
    return std::optional<ServingOptions>();
  }
  ServingOptions serving{.ns = options.ns, .url = options.url};
  if (!options.url.empty()) {
    COPPICE_ASSIGN(serving.port, PortOf(options.url));
  }
  return std::optional(ReadServing(document, std::move(serving)));
}

std::optional<Value> Find(kube::Client& client, const api::Resource& resource,
                          const api::ObjectKey& key) {
  auto found = client.Get(resource, key);
  if (!found) return std::nullopt;
  return *std::move(found);
}

class RunningOperatorWebhooks final : public OperatorWebhooks {
 public:
  RunningOperatorWebhooks(kube::Client& client, kube::Executor& executor)
      : client_(client), executor_(executor), manager_(kube::Manager::Make(client, executor)) {}
  ~RunningOperatorWebhooks() override {
    server_.reset();
    manager_->Stop();
  }

  base::Status Serve(operators::Config config, ServingOptions options) {
    COPPICE_ASSIGN(backends_, backends::MakeBackends(*manager_, config.backends));
    const auto admission = std::make_shared<const Admission>(config, backends_, client_);
    const auto reviewer = std::make_shared<const Reviewer>(
        config, admission, [&client = client_](const std::string& ns, const std::string& name) {
          return Find(client, api::kPodCliqueSets, {ns, name});
        });
    manager_->Start();
    options.authorizer = config.authorizer;
    server_ = std::make_unique<ServedWebhooks>(client_, executor_, std::move(options), reviewer);
    return server_->Start();
  }

  base::Status Ready() const override { return server_->Ready(); }
  base::Status Reconfigure(const backends::BackendConfig& config) override {
    return backends_->Reconfigure(config);
  }

 private:
  kube::Client& client_;
  kube::Executor& executor_;
  // Separate from the controllers' manager, which only runs while this process is the leader.
  const std::unique_ptr<kube::Manager> manager_;
  std::shared_ptr<backends::Backends> backends_;
  std::unique_ptr<ServedWebhooks> server_;
};

}  // namespace

base::Result<std::unique_ptr<OperatorWebhooks>> OperatorWebhooks::Start(
    kube::Client& client, kube::Executor& executor, const operators::Config& config,
    const OperatorWebhookOptions& options) {
  COPPICE_ASSIGN(auto serving, ReadOptions(options));
  if (!serving) return std::unique_ptr<OperatorWebhooks>();
  auto running = std::make_unique<RunningOperatorWebhooks>(client, executor);
  COPPICE_TRY(running->Serve(config, *std::move(serving)));
  return std::unique_ptr<OperatorWebhooks>(std::move(running));
}

}  // namespace coppice::cli
