#include "server/webhooks/expressions.h"

#include "api/schema/validate/cel_json.h"
#include "server/webhooks/admission_review.h"
#include "server/webhooks/authorizer_object.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxPrograms = 1024;

enum Slot { kObject, kOldObject, kRequest, kParams, kNamespace, kVariables, kAuthorizer, kSlots };

}  // namespace

const std::vector<std::string>& AdmissionVariableNames() {
  static const std::vector<std::string> names = {
      "object", "oldObject", "request", "params", "namespaceObject", "variables", "authorizer"};
  return names;
}

AdmissionVariables::AdmissionVariables(const AdmissionRequest& request, const json::Value& object,
                                       Authorizer& authorizer)
    : values(kSlots), review_(ReviewRequest(request, request.resource, json::Value(), "")) {
  values[kObject] = api::ToCel(object, nullptr);
  values[kOldObject] = api::ToCel(request.old_object, nullptr);
  values[kRequest] = api::ToCel(review_, nullptr);
  values[kAuthorizer] = MakeAuthorizer(authorizer, request);
}

void AdmissionVariables::SetParams(const json::Value& params) {
  values[kParams] = api::ToCel(params, nullptr);
}

void AdmissionVariables::SetNamespace(const json::Value& ns) {
  values[kNamespace] = api::ToCel(ns, nullptr);
}

void AdmissionVariables::SetVariables(cel::Value variables) {
  values[kVariables] = std::move(variables);
}

base::Result<std::shared_ptr<const cel::Program>> Expressions::Get(
    const std::string& source) const {
  std::lock_guard lock(mutex_);
  const auto found = programs_.find(source);
  if (found != programs_.end()) return found->second;
  COPPICE_ASSIGN(cel::Program program, cel::Program::Compile(source, AdmissionVariableNames()));
  auto shared = std::make_shared<const cel::Program>(std::move(program));
  if (programs_.size() >= kMaxPrograms) programs_.clear();
  programs_.emplace(source, shared);
  return shared;
}

}  // namespace coppice::server
