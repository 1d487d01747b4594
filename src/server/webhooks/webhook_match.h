#pragma once

#include <span>

#include "base/result.h"
#include "json/value.h"
#include "server/model/admission.h"
#include "server/webhooks/expressions.h"
#include "store/store.h"

// Which requests a webhook or an admission policy matches.
namespace coppice::server {

// Operations, groups, versions, resources, scope and, where given, names.
bool RulesMatch(const json::Value& rules, const AdmissionRequest& request);

// The namespaceSelector and objectSelector of `matcher`. The object is selected before or after.
bool SelectorsMatch(const json::Value& matcher, const AdmissionRequest& request,
                    const json::Value& object, const store::Store& store);

// Whether all match conditions hold; an error when one cannot be evaluated and none is false.
base::Result<bool> ConditionsMatch(const json::Value& conditions, const Expressions& expressions,
                                   std::span<const cel::Value> variables);

// All but the rules, for a webhook of a configuration. A condition that fails to evaluate is an
// error, which the failure policy handles.
base::Result<bool> WebhookSelects(const json::Value& webhook, const AdmissionRequest& request,
                                  const json::Value& object, const store::Store& store,
                                  const Expressions& expressions, Authorizer& authorizer);

// "CREATE".
const char* OperationName(Operation operation);

}  // namespace coppice::server
