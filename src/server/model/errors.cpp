#include "server/model/errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace coppice::server {

using base::Error;
using base::ErrorCode;

Error ObjectNotFound(const api::Resource& resource, std::string_view name) {
  return base::NotFound(fmt::format("{} \"{}\" not found", resource.QualifiedName(), name));
}

Error ObjectExists(const api::Resource& resource, std::string_view name) {
  return base::AlreadyExists(
      fmt::format("{} \"{}\" already exists", resource.QualifiedName(), name));
}

Error WriteConflict(const api::Resource& resource, std::string_view name, std::string_view why) {
  return base::Conflict(fmt::format("Operation cannot be fulfilled on {} \"{}\": {}",
                                    resource.QualifiedName(), name, why));
}

Error ObjectModified(const api::Resource& resource, std::string_view name) {
  return WriteConflict(resource, name,
                       "the object has been modified; please apply your changes to the latest "
                       "version and try again");
}

Error Forbidden(const api::Resource& resource, std::string_view name, std::string_view why) {
  const std::string subject = name.empty() ? std::string() : fmt::format(" \"{}\"", name);
  return {ErrorCode::kForbidden,
          fmt::format("{}{} is forbidden: {}", resource.QualifiedName(), subject, why)};
}

Error MethodNotAllowed() {
  return {ErrorCode::kMethodNotAllowed,
          "the server does not allow this method on the requested resource"};
}

Error MethodNotSupported(const api::Resource& resource, std::string_view verb) {
  return {ErrorCode::kMethodNotAllowed,
          fmt::format("{} is not supported on resources of kind \"{}\"", verb,
                      resource.QualifiedName())};
}

Error BadRequest(std::string message) { return base::InvalidArgument(std::move(message)); }

Error InternalError(std::string why) {
  return base::Internal("Internal error occurred: " + why).WithCause({"", "", std::move(why)});
}

Error NamespaceMismatch() {
  return BadRequest(
      "the namespace of the provided object does not match the namespace sent on the request");
}

Error Expired(std::string message) { return {ErrorCode::kGone, std::move(message)}; }

Error ResourceUnknown() {
  return base::NotFound("the server could not find the requested resource");
}

Error RevisionTooLarge(int64_t asked, int64_t current) {
  return Error(ErrorCode::kTimeout,
               fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current))
      .WithCause({"ResourceVersionTooLarge", "", "Too large resource version"})
      .WithRetryAfter(std::chrono::seconds(1));
}

int HttpCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 400;
    case ErrorCode::kInvalid:
      return 422;
    case ErrorCode::kUnauthorized:
      return 401;
    case ErrorCode::kForbidden:
      return 403;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kMethodNotAllowed:
      return 405;
    case ErrorCode::kNotAcceptable:
      return 406;
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
      return 409;
    case ErrorCode::kGone:
      return 410;
    case ErrorCode::kTooLarge:
      return 413;
    case ErrorCode::kUnsupportedMedia:
      return 415;
    case ErrorCode::kTooManyRequests:
      return 429;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kTimeout:
      return 504;
    case ErrorCode::kUnimplemented:
      return 501;
    case ErrorCode::kInternal:
    case ErrorCode::kCancelled:
      return 500;
  }
  return 500;
}

namespace {

// `plural.group "name"`, or `Kind.group "name"`, between two texts that errors have; empty where
// the message has another form.
std::optional<StatusSubject> SubjectBetween(std::string_view message, std::string_view before,
                                            std::string_view after) {
  if (message.substr(0, before.size()) != before) return std::nullopt;
  message.remove_prefix(before.size());
  const size_t quote = message.find(" \"");
  const size_t end = quote == message.npos ? quote : message.find('"', quote + 2);
  if (end == message.npos || message.substr(end + 1, after.size()) != after) return std::nullopt;
  const std::string_view kind = message.substr(0, quote);
  if (kind.find(' ') != kind.npos) return std::nullopt;
  const size_t dot = std::min(kind.find('.'), kind.size());
  return StatusSubject{std::string(kind.substr(std::min(dot + 1, kind.size()))),
                       std::string(kind.substr(0, dot)),
                       std::string(message.substr(quote + 2, end - quote - 2))};
}

// A path that is not served is about nothing, whatever its parts are called.
bool IsAboutNothing(const Error& error) {
  return error.message() == ResourceUnknown().message() ||
         error.message() == MethodNotAllowed().message();
}

}  // namespace

StatusSubject SubjectOf(const Error& error, StatusSubject asked) {
  const std::string_view message = error.message();
  if (IsAboutNothing(error)) return {};
  if (error.Is(ErrorCode::kMethodNotAllowed)) asked.name.clear();
  std::optional<StatusSubject> said;
  if (error.Is(ErrorCode::kInvalid)) said = SubjectBetween(message, "", " is invalid: ");
  if (error.Is(ErrorCode::kNotFound)) said = SubjectBetween(message, "", " not found");
  if (error.Is(ErrorCode::kConflict)) {
    said = SubjectBetween(message, "Operation cannot be fulfilled on ", ": ");
  }
  return said ? *std::move(said) : std::move(asked);
}

json::Value StatusOf(const Error& error, const StatusSubject& subject) {
  json::Value details = json::Value::Object();
  // What could not be read is about nothing yet.
  const bool known = error.code() != ErrorCode::kInvalidArgument;
  if (known && !subject.name.empty()) details.Set("name", subject.name);
  if (known && !subject.group.empty()) details.Set("group", subject.group);
  if (known && !subject.kind.empty()) details.Set("kind", subject.kind);
  for (const base::FieldCause& cause : error.causes()) {
    json::Value told = json::Value::Object({{"message", cause.message}});
    if (!cause.reason.empty()) told.Set("reason", cause.reason);
    if (!cause.field.empty()) told.Set("field", cause.field);
    details.Mutable("causes").Append(std::move(told));
  }
  if (error.retry_after())
    details.Set("retryAfterSeconds", (error.retry_after()->count() + 999) / 1000);
  json::Value status = json::Value::Object({{"apiVersion", "v1"},
                                            {"kind", "Status"},
                                            {"metadata", json::Value::Object()},
                                            {"status", "Failure"},
                                            {"message", error.message()},
                                            {"reason", base::ToString(error.code())},
                                            {"code", HttpCode(error.code())}});
  const bool always = error.Is(ErrorCode::kForbidden) || error.Is(ErrorCode::kNotFound) ||
                      error.Is(ErrorCode::kMethodNotAllowed);
  if (!details.empty() || always) status.Set("details", std::move(details));
  return status;
}

}  // namespace coppice::server
