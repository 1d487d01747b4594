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
// The same for a custom resource.
base::Error MethodNotSupported(const api::Resource& resource, std::string_view verb);
base::Error BadRequest(std::string message);
// "Internal error occurred: …".
base::Error InternalError(std::string why);
// The object's namespace differs from the request's.
base::Error NamespaceMismatch();
base::Error Expired(std::string message);
base::Error ResourceUnknown();
// A client requests a revision that this server has not reached: it comes from another history.
base::Error RevisionTooLarge(int64_t asked, int64_t current);

int HttpCode(base::ErrorCode code);

// What the error is about, for the details of a Status.
struct StatusSubject {
  std::string group;
  std::string kind;  // Plural, as Kubernetes has it there.
  std::string name;
};
// The object that the error itself names, which may differ from the requested one.
StatusSubject SubjectOf(const base::Error& error, StatusSubject asked);
// The error as a Kubernetes Status object.
json::Value StatusOf(const base::Error& error, const StatusSubject& subject = {});

}  // namespace coppice::server
