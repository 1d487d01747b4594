#include "base/error.h"

#include <utility>

namespace coppice::base {

std::string_view ToString(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInternal:
      return "InternalError";
    case ErrorCode::kInvalidArgument:
      return "BadRequest";
    case ErrorCode::kInvalid:
      return "Invalid";
    case ErrorCode::kUnauthorized:
      return "Unauthorized";
    case ErrorCode::kForbidden:
      return "Forbidden";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kMethodNotAllowed:
      return "MethodNotAllowed";
    case ErrorCode::kNotAcceptable:
      return "NotAcceptable";
    case ErrorCode::kAlreadyExists:
      return "AlreadyExists";
    case ErrorCode::kConflict:
      return "Conflict";
    case ErrorCode::kGone:
      return "Expired";
    case ErrorCode::kTooLarge:
      return "RequestEntityTooLarge";
    case ErrorCode::kUnsupportedMedia:
      return "UnsupportedMediaType";
    case ErrorCode::kTooManyRequests:
      return "TooManyRequests";
    case ErrorCode::kUnavailable:
      return "ServiceUnavailable";
    case ErrorCode::kTimeout:
      return "Timeout";
    case ErrorCode::kCancelled:
      return "Cancelled";
    case ErrorCode::kUnimplemented:
      return "NotImplemented";
  }
  return "InternalError";
}

Error Error::During(std::string_view operation) const {
  Error copy = *this;
  copy.message_ = std::string(operation) + ": " + message_;
  return copy;
}

Error Error::WithCause(FieldCause cause) && {
  causes_.push_back(std::move(cause));
  return std::move(*this);
}

Error Error::WithCauses(std::vector<FieldCause> causes) && {
  causes_ = std::move(causes);
  return std::move(*this);
}

Error Error::WithRetryAfter(std::chrono::milliseconds delay) && {
  retry_after_ = delay;
  return std::move(*this);
}

std::string Error::ToString() const { return std::string(base::ToString(code_)) + ": " + message_; }

Error Internal(std::string message) { return {ErrorCode::kInternal, std::move(message)}; }
Error InvalidArgument(std::string message) {
  return {ErrorCode::kInvalidArgument, std::move(message)};
}
Error NotFound(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }
Error AlreadyExists(std::string message) { return {ErrorCode::kAlreadyExists, std::move(message)}; }
Error Conflict(std::string message) { return {ErrorCode::kConflict, std::move(message)}; }
Error Unavailable(std::string message) { return {ErrorCode::kUnavailable, std::move(message)}; }
Error Cancelled(std::string message) { return {ErrorCode::kCancelled, std::move(message)}; }
Error Unimplemented(std::string message) { return {ErrorCode::kUnimplemented, std::move(message)}; }

}  // namespace coppice::base
