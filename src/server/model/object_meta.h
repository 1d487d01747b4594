#pragma once

#include <string>

#include "api/selectors/names.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/value.h"
#include "server/model/admission.h"
#include "server/model/ids.h"
#include "server/model/kind_rules.h"
#include "server/model/request.h"

// Object metadata: what the server sets, what clients may not change, and the format of names.
namespace coppice::server {

// Checks that the body is an object of the request's kind, name and namespace, and completes it
// with the namespace of the path.
base::Status CheckBody(const Request& request, json::Value& body);

// Sets uid, creationTimestamp, generation and, from generateName, the name.
base::Status InitializeMetadata(const Request& request, base::Time now, IdSource& ids,
                                json::Value& object);
// Restores what a client cannot change (uid, creationTimestamp, deletion fields, generation).
base::Status CarryMetadata(const Request& request, const json::Value& old, json::Value& object);
// After admission: `before` is the metadata that it was given. kInvalidArgument if a webhook has
// moved the object to another namespace; fields that only the server sets are restored.
// ValidateMetadataUpdate checks that an update does not change name and uid.
base::Status KeepIdentity(const Request& request, Operation operation, const json::Value& before,
                          json::Value& object);
// Counts a change of anything but metadata and, where that is a subresource, status.
void BumpGeneration(const ServedResource& served, const json::Value& old, json::Value& object);

// `old` is null for a create; an update does not re-validate unchanged parts.
void ValidateMetadata(const ServedResource& served, std::string_view kubernetes_version,
                      const json::Value& object, const json::Value& old, Causes& causes);
void ValidateMetadataUpdate(const json::Value& object, const json::Value& old, Causes& causes);

// What is wrong with a name of this form.
api::Problems NameProblems(NameForm form, std::string_view name);

bool HasFinalizers(const json::Value& object);

}  // namespace coppice::server
