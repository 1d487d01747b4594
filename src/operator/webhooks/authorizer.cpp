#include "operator/webhooks/authorizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "kube/object.h"
#include "operator/runtime/labels.h"

namespace coppice::operators::webhooks {
namespace {

bool MayChange(const Config& config, const std::string& user) {
  return user == config.operator_user ||
         std::find(config.exempt_users.begin(), config.exempt_users.end(), user) !=
             config.exempt_users.end();
}

}  // namespace

Decision Authorize(const Config& config, const FindSet& find_set, const ChildRequest& request) {
  if (request.operation == ChildRequest::Operation::kConnect) return {};
  const std::string set_name(kube::Label(request.object, labels::kPartOf));
  const std::string ns(kube::Namespace(request.object));
  const auto set = set_name.empty() ? std::nullopt : find_set(ns, set_name);
  if (!set) {
    return {.warning = fmt::format("{} {} is managed by no PodCliqueSet that exists", request.kind,
                                   kube::Name(request.object))};
  }
  if (kube::Annotation(*set, labels::kDisableProtection) == "true") return {};
  if (request.operation == ChildRequest::Operation::kDelete && request.kind == "Pod") return {};
  if (MayChange(config, request.user)) return {};
  return {.allowed = false,
          .reason = fmt::format("{} {} belongs to PodCliqueSet {}; change that one instead",
                                request.kind, kube::Name(request.object), set_name)};
}

}  // namespace coppice::operators::webhooks
