#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/resource.h"
#include "base/error.h"
#include "json/value.h"

// The API server's errors, in Kubernetes' words.
namespace coppice::server {

base::Error ObjectNotFound(const api::Resource& resource, std::string_view name);
base::Error ObjectExists(const api::Resource& resource, std::string_view name);
// "Operation cannot be fulfilled on pods "a": …".
base::Error WriteConflict(const api::Resource& resource, std::string_view name,
                          std::string_view why);
// The object changed since the client read it.
base::Error ObjectModified(const api::Resource& resource, std::string_view name);
base::Error Forbidden(const api::Resource& resource, std::string_view name, std::string_view why);
base::Error MethodNotAllowed();
// The same of a custom resource.
base::Error MethodNotSupported(const api::Resource& resource, std::string_view verb);
base::Error BadRequest(std::string message);
// "Internal error occurred: …".
base::Error InternalError(std::string why);
// The object says that it is in another namespace than the request.
base::Error NamespaceMismatch();
base::Error Expired(std::string message);
base::Error ResourceUnknown();
// A client asks for a revision that this server has not reached: it has seen another history.
base::Error RevisionTooLarge(int64_t asked, int64_t current);

int HttpCode(base::ErrorCode code);

// What the error is about, for the details of a Status.
struct StatusSubject {
  std::string group;
  std::string kind;  // Plural, as Kubernetes has it there.
  std::string name;
};
// What the error itself says it is about, which may be another object than the one asked for.
StatusSubject SubjectOf(const base::Error& error, StatusSubject asked);
// The error as a Kubernetes Status object.
json::Value StatusOf(const base::Error& error, const StatusSubject& subject = {});

}  // namespace coppice::server
