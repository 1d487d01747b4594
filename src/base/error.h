#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace coppice::base {

// Why something failed, in the terms that decide what a caller does next. The Kubernetes reasons
// (NotFound … Unavailable) map one to one to the reasons of an API Status object.
enum class ErrorCode {
  kInternal,          // A defect or an unclassified failure.
  kInvalidArgument,   // Malformed input: bad JSON, bad quantity, unknown flag (HTTP 400).
  kInvalid,           // Well-formed but breaks a rule; `causes` name the fields (HTTP 422).
  kUnauthorized,      // HTTP 401.
  kForbidden,         // HTTP 403.
  kNotFound,          // HTTP 404.
  kMethodNotAllowed,  // HTTP 405.
  kNotAcceptable,     // HTTP 406.
  kAlreadyExists,     // HTTP 409, reason AlreadyExists.
  kConflict,          // HTTP 409, reason Conflict.
  kGone,              // HTTP 410, reason Gone or Expired.
  kTooLarge,          // HTTP 413.
  kUnsupportedMedia,  // HTTP 415.
  kTooManyRequests,   // HTTP 429; `retry_after` may be set.
  kUnavailable,       // HTTP 503, refused or broken connections: worth retrying.
  kTimeout,           // HTTP 504 and local deadlines.
  kCancelled,         // The caller asked to stop.
  kUnimplemented,     // Known, and not supported here.
};

std::string_view ToString(ErrorCode code);

// One field of an object that is wrong. `reason` uses Kubernetes' words (FieldValueRequired,
// FieldValueInvalid, FieldValueForbidden, …).
struct FieldCause {
  std::string reason;
  std::string field;
  std::string message;
};

// An error as a value: what went wrong, during which operation, and what caused it.
//
//   return base::NotFound("pods \"a\" not found").During("reading the gang's pods");
class Error {
 public:
  Error(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }
  const std::vector<FieldCause>& causes() const { return causes_; }
  std::optional<std::chrono::milliseconds> retry_after() const { return retry_after_; }

  // Prefixes the message with what was being attempted.
  Error During(std::string_view operation) const;
  Error WithCause(FieldCause cause) &&;
  Error WithCauses(std::vector<FieldCause> causes) &&;
  Error WithRetryAfter(std::chrono::milliseconds delay) &&;

  bool Is(ErrorCode code) const { return code_ == code; }
  // "NotFound: pods "a" not found", for logs.
  std::string ToString() const;

 private:
  ErrorCode code_;
  std::string message_;
  std::vector<FieldCause> causes_;
  std::optional<std::chrono::milliseconds> retry_after_;
};

Error Internal(std::string message);
Error InvalidArgument(std::string message);
Error NotFound(std::string message);
Error AlreadyExists(std::string message);
Error Conflict(std::string message);
Error Unavailable(std::string message);
Error Cancelled(std::string message);
Error Unimplemented(std::string message);

}  // namespace coppice::base
