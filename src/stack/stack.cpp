#include "stack/stack.h"

#include <algorithm>

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "backends/model/retry.h"
#include "stack/bootstrap.h"

namespace coppice::stack {

Stack::Stack(kube::Executor& executor, StackOptions options)
    : executor_(executor), options_(std::move(options)) {}

Stack::~Stack() { Stop(); }

base::Result<std::unique_ptr<Stack>> Stack::Make(kube::Executor& executor, StackOptions options) {
  std::unique_ptr<Stack> stack(new Stack(executor, std::move(options)));
  COPPICE_TRY(stack->Prepare());
  return stack;
}

base::Status Stack::Prepare() {
  COPPICE_ASSIGN(server_,
                 server::ApiServer::Make({.clock = &executor_.clock(),
                                          .data_dir = options_.data_dir,
                                          .kubernetes_version = options_.kubernetes_version,
                                          .seed = options_.seed,
                                          .accept_data_loss = options_.accept_data_loss}));
  admission_ = std::make_unique<EmbeddedAdmission>(*server_);
  client_ = server_->NewClient(executor_);
  for (const json::Value& crd : api::grove::Crds()) COPPICE_TRY(server_->InstallCrd(crd));
  for (const json::Value& crd : api::kai::Crds()) COPPICE_TRY(server_->InstallCrd(crd));
  COPPICE_TRY(Bootstrap(*client_, options_.shape, options_.default_quota));
  if (Runs("workloads")) COPPICE_TRY(EnsureDefaultStorageClass(*client_));
  server_->StartControllers(executor_);
  if (options_.decorate) decorated_ = options_.decorate(*client_);
  if (options_.operator_conflicts > 0) {
    operator_client_ = std::make_unique<kube::FaultyClient>(
        *client_, executor_, kube::Faults{.conflict = options_.operator_conflicts},
        options_.seed.value_or(0));
  }
  return {};
}

base::Result<std::unique_ptr<kube::Manager>> Stack::Run(kube::Client& client,
                                                        const std::vector<std::string>& components,
                                                        EmbeddedAdmission* admission) {
  std::unique_ptr<kube::Manager> manager = kube::Manager::Make(
      client, executor_, {.metrics = options_.metrics, .retry = backends::kRetry});
  ComponentContext context{.manager = *manager,
                           .admission = admission,
                           .operator_config = options_.operator_config,
                           .services = options_.services,
                           .earlier_starts = starts_++,
                           .embedded = true,
                           .on_outdated = options_.on_outdated};
  COPPICE_TRY(AddComponents(components, context));
  manager->Start();
  return manager;
}

base::Status Stack::Start() {
  const auto kai = admission_->kai();
  Stop();
  // What arrives meanwhile is completed as ever: a pod that was not would wait for ever.
  if (Runs("admission")) admission_->SetKai(kai);
  kube::Client& client = decorated_ ? *decorated_ : *client_;
  std::vector<std::string> together = options_.components;
  const bool apart = operator_client_ && std::erase(together, "operator") > 0;
  COPPICE_ASSIGN(manager_, Run(client, together, admission_.get()));
  if (apart) COPPICE_TRY(RestartOperator());
  COPPICE_TRY(ShowScheduler(*client_, Runs("scheduler"), executor_.Now()));
  if (options_.rivals.empty()) return {};
  COPPICE_ASSIGN(rivals_, Run(client, options_.rivals, nullptr));
  return {};
}

base::Status Stack::RestartOperator() {
  if (operator_) operator_->Stop();
  operator_.reset();
  COPPICE_ASSIGN(operator_, Run(*operator_client_, {"operator"}, admission_.get()));
  return {};
}

bool Stack::Runs(std::string_view component) const {
  const auto& all = options_.components;
  return std::find(all.begin(), all.end(), component) != all.end();
}

void Stack::Stop() {
  if (!manager_) return;
  if (rivals_) rivals_->Stop();
  if (operator_) operator_->Stop();
  manager_->Stop();
  admission_->Clear();
  operator_.reset();
  rivals_.reset();
  manager_.reset();
}

}  // namespace coppice::stack
