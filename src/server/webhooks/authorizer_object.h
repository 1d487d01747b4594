#pragma once

#include "cel/values/value.h"
#include "server/model/admission.h"
#include "server/rbac/rbac.h"

namespace coppice::server {

// The `authorizer` of admission expressions: asks what the requesting user, or a service account,
// may do.
//
//   authorizer.group('apps').resource('deployments').namespace('a').check('delete').allowed()
//   authorizer.requestResource.check('approve').reason()
//   authorizer.serviceAccount('ns', 'builder').path('/metrics').check('get').allowed()
//
// The value must not outlive `rbac`.
cel::Value MakeAuthorizer(RbacAuthorizer& rbac, const AdmissionRequest& request);

}  // namespace coppice::server
