#pragma once

#include "cel/values/value.h"
#include "server/authorization/authorizer.h"
#include "server/model/admission.h"

namespace coppice::server {

// The `authorizer` of admission expressions: asks what the requesting user, or a service account,
// may do.
//
//   authorizer.group('apps').resource('deployments').namespace('a').check('delete').allowed()
//   authorizer.requestResource.check('approve').reason()
//   authorizer.serviceAccount('ns', 'builder').path('/metrics').check('get').allowed()
//
// The value must not outlive `authorizer`.
cel::Value MakeAuthorizer(Authorizer& authorizer, const AdmissionRequest& request);

}  // namespace coppice::server
