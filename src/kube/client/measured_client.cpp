#include "kube/client/measured_client.h"

namespace coppice::kube {
namespace {

using base::ErrorCode;

const char* Method(Verb verb) {
  switch (verb) {
    case Verb::kCreate:
      return "POST";
    case Verb::kUpdate:
      return "PUT";
    case Verb::kPatch:
      return "PATCH";
    case Verb::kDelete:
    case Verb::kDeleteCollection:
      return "DELETE";
    default:
      return "GET";
  }
}

// The HTTP status that this error is on the wire; "<error>" where there was no answer at all.
const char* Code(const base::Error& error) {
  switch (error.code()) {
    case ErrorCode::kInvalidArgument:
      return "400";
    case ErrorCode::kUnauthorized:
      return "401";
    case ErrorCode::kForbidden:
      return "403";
    case ErrorCode::kNotFound:
      return "404";
    case ErrorCode::kMethodNotAllowed:
      return "405";
    case ErrorCode::kNotAcceptable:
      return "406";
    case ErrorCode::kAlreadyExists:
    case ErrorCode::kConflict:
      return "409";
    case ErrorCode::kGone:
      return "410";
    case ErrorCode::kTooLarge:
      return "413";
    case ErrorCode::kUnsupportedMedia:
      return "415";
    case ErrorCode::kInvalid:
      return "422";
    case ErrorCode::kTooManyRequests:
      return "429";
    case ErrorCode::kInternal:
      return "500";
    case ErrorCode::kUnavailable:
      return "503";
    case ErrorCode::kTimeout:
      return "504";
    default:
      return "<error>";
  }
}

}  // namespace

MeasuredClient::MeasuredClient(Client& inner, Metrics& metrics, std::string host)
    : InterceptedClient(inner), metrics_(metrics), host_(std::move(host)) {
  metrics_.Describe("rest_client_requests_total", "Requests by code, method and host.");
}

base::Status MeasuredClient::After(const Call& call, const base::Status& outcome) {
  const char* success = call.verb == Verb::kCreate ? "201" : "200";
  metrics_.Increment("rest_client_requests_total",
                     {{"code", outcome ? success : Code(outcome.error())},
                      {"host", host_},
                      {"method", Method(call.verb)}});
  return outcome;
}

}  // namespace coppice::kube
