#include "stack/embedded_admission.h"

namespace coppice::stack {
namespace {

using server::AdmissionRequest;

// The server keeps its plugins for good, so they find the admission through this.
class Plugin : public server::AdmissionPlugin {
 public:
  Plugin(std::string name, EmbeddedAdmission& owner) : name_(std::move(name)), owner_(owner) {}
  const std::string& name() const override { return name_; }

 protected:
  const std::string name_;
  EmbeddedAdmission& owner_;
};

class GrovePlugin final : public Plugin {
 public:
  explicit GrovePlugin(EmbeddedAdmission& owner) : Plugin("grove", owner) {}

  bool Handles(const AdmissionRequest& request) const override {
    return request.subresource.empty() && request.operation != server::Operation::kDelete &&
           EmbeddedAdmission::Grove::Concerns(request.resource);
  }

  base::Status Mutate(const AdmissionRequest& request, json::Value& object) override {
    const auto admission = owner_.grove();
    return admission ? admission->Mutate(request.resource, object, request.old_object)
                     : base::Status();
  }

  base::Status Validate(const AdmissionRequest& request) override {
    const auto admission = owner_.grove();
    if (!admission) return {};
    return admission->Check(request.resource, request.object, request.old_object,
                            [&](const std::string& warning) { request.Warn(warning); });
  }
};

class KaiPlugin final : public Plugin {
 public:
  explicit KaiPlugin(EmbeddedAdmission& owner) : Plugin("kai", owner) {}

  bool Handles(const AdmissionRequest& request) const override {
    return request.subresource.empty() && EmbeddedAdmission::Kai::Handles(request.resource);
  }

  base::Status Mutate(const AdmissionRequest& request, json::Value& object) override {
    const auto admission = owner_.kai();
    if (!admission || request.operation == server::Operation::kDelete) return {};
    services::admission::Request translated = Translate(request);
    translated.object = object;
    COPPICE_TRY(admission->Mutate(translated));
    object = std::move(translated.object);
    return {};
  }

  base::Status Validate(const AdmissionRequest& request) override {
    const auto admission = owner_.kai();
    if (!admission) return {};
    const services::admission::Verdict verdict = admission->Validate(Translate(request));
    for (const std::string& warning : verdict.warnings) request.Warn(warning);
    return verdict.status;
  }

 private:
  static services::admission::Request Translate(const AdmissionRequest& request) {
    using services::admission::Operation;
    const Operation operation = request.operation == server::Operation::kDelete ? Operation::kDelete
                                : request.operation == server::Operation::kUpdate
                                    ? Operation::kUpdate
                                    : Operation::kCreate;
    return {operation, request.resource, request.key.ns, request.object, request.old_object};
  }
};

}  // namespace

EmbeddedAdmission::EmbeddedAdmission(server::ApiServer& server) {
  server.AddAdmission(std::make_shared<GrovePlugin>(*this));
  server.AddAdmission(std::make_shared<KaiPlugin>(*this));
}

void EmbeddedAdmission::SetGrove(std::shared_ptr<const Grove> admission) {
  std::lock_guard lock(mutex_);
  grove_ = std::move(admission);
}

void EmbeddedAdmission::SetKai(std::shared_ptr<Kai> admission) {
  std::lock_guard lock(mutex_);
  kai_ = std::move(admission);
}

void EmbeddedAdmission::Clear() {
  SetGrove(nullptr);
  SetKai(nullptr);
}

std::shared_ptr<const EmbeddedAdmission::Grove> EmbeddedAdmission::grove() const {
  std::lock_guard lock(mutex_);
  return grove_;
}

std::shared_ptr<EmbeddedAdmission::Kai> EmbeddedAdmission::kai() const {
  std::lock_guard lock(mutex_);
  return kai_;
}

}  // namespace coppice::stack
