#include "server/core/admission_request.h"

#include "kube/object.h"

namespace coppice::server {

AdmissionRequest MakeAdmissionRequest(const Request& request, Operation operation,
                                      const json::Value& object, const json::Value& old) {
  const json::Value& named = object.IsNull() ? old : object;
  std::string name = request.name.empty() ? std::string(kube::Name(named)) : request.name;
  return {operation,
          request.resource(),
          request.subresource,
          {request.ns, std::move(name)},
          object,
          old,
          request.user,
          request.dry_run,
          request.remarks};
}

base::Status AdmitSubresource(Core& core, const Request& request, const json::Value& body) {
  const json::Value none;
  json::Value changed = body;
  const AdmissionRequest admission =
      MakeAdmissionRequest(request, Operation::kCreate, changed, none);
  COPPICE_TRY(core.admission().Mutate(admission, changed));
  return core.admission().Validate(admission);
}

}  // namespace coppice::server
