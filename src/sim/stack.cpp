#include "sim/stack.h"

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "sim/bootstrap.h"

namespace coppice::sim {

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
                                          .seed = options_.seed}));
  admission_ = std::make_unique<EmbeddedAdmission>(*server_);
  client_ = server_->NewClient(executor_);
  for (const json::Value& crd : api::grove::Crds()) COPPICE_TRY(server_->InstallCrd(crd));
  for (const json::Value& crd : api::kai::Crds()) COPPICE_TRY(server_->InstallCrd(crd));
  COPPICE_TRY(Bootstrap(*client_, options_.shape));
  server_->StartControllers(executor_);
  return {};
}

base::Status Stack::Start() {
  Stop();
  manager_ = kube::Manager::Make(*client_, executor_);
  ComponentContext context{.manager = *manager_,
                           .admission = admission_.get(),
                           .operator_config = options_.operator_config,
                           .admission_options = options_.admission_options,
                           .simulated_gpus = true};
  COPPICE_TRY(AddComponents(options_.components, context));
  manager_->Start();
  return {};
}

void Stack::Stop() {
  if (!manager_) return;
  manager_->Stop();
  admission_->Clear();
  manager_.reset();
}

}  // namespace coppice::sim
