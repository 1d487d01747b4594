#pragma once

#include "base/result.h"
#include "json/value.h"
#include "server/admission.h"
#include "store/store.h"

namespace coppice::server {

// Whether a webhook of a configuration wants to see a request: its rules, selectors and match
// conditions. A condition that fails to evaluate is an error, which the failure policy judges.
base::Result<bool> WebhookMatches(const json::Value& webhook, const AdmissionRequest& request,
                                  const json::Value& object, const store::Store& store);

// "CREATE".
const char* OperationName(Operation operation);

}  // namespace coppice::server
