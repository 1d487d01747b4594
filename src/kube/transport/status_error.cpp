#include "kube/transport/status_error.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>

#include "api/view/meta.h"
#include "json/parse.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;

constexpr size_t kMaxQuotedBody = 300;

std::optional<ErrorCode> FromReason(std::string_view reason) {
  static const std::map<std::string_view, ErrorCode> kReasons = {
      {"AlreadyExists", ErrorCode::kAlreadyExists},
      {"BadRequest", ErrorCode::kInvalidArgument},
      {"Conflict", ErrorCode::kConflict},
      {"Expired", ErrorCode::kGone},
      {"Forbidden", ErrorCode::kForbidden},
      {"Gone", ErrorCode::kGone},
      {"InternalError", ErrorCode::kInternal},
      {"Invalid", ErrorCode::kInvalid},
      {"MethodNotAllowed", ErrorCode::kMethodNotAllowed},
      {"NotAcceptable", ErrorCode::kNotAcceptable},
      {"NotFound", ErrorCode::kNotFound},
      {"RequestEntityTooLarge", ErrorCode::kTooLarge},
      {"ServerTimeout", ErrorCode::kUnavailable},
      {"ServiceUnavailable", ErrorCode::kUnavailable},
      {"Timeout", ErrorCode::kTimeout},
      {"TooManyRequests", ErrorCode::kTooManyRequests},
      {"Unauthorized", ErrorCode::kUnauthorized},
      {"UnsupportedMediaType", ErrorCode::kUnsupportedMedia},
  };
  const auto found = kReasons.find(reason);
  if (found == kReasons.end()) return std::nullopt;
  return found->second;
}

std::vector<base::FieldCause> CausesOf(view::meta::StatusDetails details) {
  std::vector<base::FieldCause> causes;
  for (const view::meta::StatusCause cause : details.causes()) {
    causes.push_back(
        {std::string(cause.reason()), std::string(cause.field()), std::string(cause.message())});
  }
  return causes;
}

}  // namespace

ErrorCode CodeFromHttp(int status) {
  switch (status) {
    case 400:
      return ErrorCode::kInvalidArgument;
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return ErrorCode::kForbidden;
    case 404:
      return ErrorCode::kNotFound;
    case 405:
      return ErrorCode::kMethodNotAllowed;
    case 406:
      return ErrorCode::kNotAcceptable;
    case 408:
    case 504:
      return ErrorCode::kTimeout;
    case 409:
      return ErrorCode::kConflict;
    case 410:
      return ErrorCode::kGone;
    case 413:
      return ErrorCode::kTooLarge;
    case 415:
      return ErrorCode::kUnsupportedMedia;
    case 422:
      return ErrorCode::kInvalid;
    case 429:
      return ErrorCode::kTooManyRequests;
    case 501:
      return ErrorCode::kUnimplemented;
    case 502:
    case 503:
      return ErrorCode::kUnavailable;
    default:
      return ErrorCode::kInternal;
  }
}

base::Error ErrorFromStatus(const json::Value& document, int http_status) {
  const view::meta::Status status(document);
  const int code = static_cast<int>(status.code(http_status));
  const ErrorCode kind = FromReason(status.reason()).value_or(CodeFromHttp(code));
  std::string message(status.message());
  if (message.empty()) message = http::StatusText(code);
  base::Error error = base::Error(kind, std::move(message)).WithCauses(CausesOf(status.details()));
  if (const int64_t seconds = status.details().retryAfterSeconds(); seconds > 0) {
    error = std::move(error).WithRetryAfter(std::chrono::seconds(seconds));
  }
  return error;
}

base::Error ErrorFromResponse(const http::Response& response) {
  const auto body = json::Parse(response.BodyView());
  const bool is_status = body && view::meta::Status(*body).kind() == "Status";
  base::Error error = is_status
                          ? ErrorFromStatus(*body, response.status)
                          : base::Error(CodeFromHttp(response.status),
                                        fmt::format("HTTP {} {}: {}", response.status,
                                                    http::StatusText(response.status),
                                                    response.BodyView().substr(0, kMaxQuotedBody)));
  const std::string after(response.headers.Get("retry-after"));
  if (const int seconds = std::atoi(after.c_str()); seconds > 0) {
    error = std::move(error).WithRetryAfter(std::chrono::seconds(seconds));
  }
  return error;
}

}  // namespace coppice::kube
