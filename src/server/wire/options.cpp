#include "server/wire/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "api/resource.h"
#include "api/schema/errors/field_error.h"
#include "json/parse.h"
#include "json/yaml/yaml.h"
#include "server/model/errors.h"
#include "server/model/lower_case.h"
#include "server/protobuf/decode.h"

namespace coppice::server {
namespace {

// Longer than any watch is kept, short enough that no clock overflows.
constexpr int64_t kMaxTimeoutSeconds = int64_t{365} * 24 * 3600;

// As Go's strconv.ParseInt. 0 when the query has no such parameter.
base::Result<int64_t> ReadInt(const http::Query& query, std::string_view name) {
  if (!query.Has(name)) return 0;
  const std::string_view text = query.Get(name);
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.size() < text.size() && digits.starts_with('-')) digits = {};  // "+-1".
  int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc() && end == digits.data() + digits.size()) return value;
  const bool too_large =
      error == std::errc::result_out_of_range && end == digits.data() + digits.size();
  return BadRequest(fmt::format("strconv.ParseInt: parsing \"{}\": {}", text,
                                too_large ? "value out of range" : "invalid syntax"));
}

// Validation errors of request options, which have their own kind.
base::Error InvalidOptions(const char* kind, base::FieldCause cause) {
  return api::InvalidObject({"meta.k8s.io", "v1", "", kind, false}, "", {std::move(cause)});
}

base::Status CheckDryRun(const http::Query& query, const char* kind) {
  json::Value given = json::Value::Array();
  for (const std::string_view value : query.All("dryRun")) given.Append(value);
  for (const json::Value& value : given.Items()) {
    if (value.AsString() == "All") continue;
    return InvalidOptions(kind, api::UnsupportedField("dryRun", given, {"All"}));
  }
  return {};
}

base::Error InvalidListOptions(std::string_view why) {
  return InvalidOptions("ListOptions", api::ForbiddenField("resourceVersionMatch", why));
}

base::Status CheckVersionMatch(const kube::ListOptions& options) {
  const std::string& match = options.resource_version_match;
  if (!options.continue_token.empty() && !options.resource_version.empty() &&
      options.resource_version != "0") {
    return BadRequest("specifying resource version is not allowed when using continue");
  }
  if (match.empty()) return {};
  if (options.resource_version.empty()) {
    return InvalidListOptions(
        "resourceVersionMatch is forbidden unless resourceVersion "
        "is provided");
  }
  if (!options.continue_token.empty()) {
    return InvalidListOptions(
        "resourceVersionMatch is forbidden when continue is "
        "provided");
  }
  if (match == "Exact" && options.resource_version == "0") {
    return InvalidListOptions(
        "resourceVersionMatch \"exact\" is forbidden for "
        "resourceVersion \"0\"");
  }
  if (match == "Exact" || match == "NotOlderThan") return {};
  return InvalidOptions("ListOptions", api::UnsupportedField("resourceVersionMatch", match,
                                                             {"Exact", "NotOlderThan"}));
}

}  // namespace

base::Result<std::chrono::seconds> ReadTimeout(const http::Query& query) {
  COPPICE_ASSIGN(const int64_t seconds, ReadInt(query, "timeoutSeconds"));
  return std::chrono::seconds(std::clamp(seconds, int64_t{-1}, kMaxTimeoutSeconds));
}

bool IsTrue(const http::Query& query, std::string_view name) {
  if (!query.Has(name)) return false;
  const std::string text = LowerCase(query.Get(name));
  return text != "false" && text != "0";
}

base::Result<kube::ListOptions> ReadListOptions(const http::Query& query, const std::string& ns) {
  kube::ListOptions options;
  options.ns = ns;
  options.label_selector = query.Get("labelSelector");
  options.field_selector = query.Get("fieldSelector");
  COPPICE_ASSIGN(options.limit, ReadInt(query, "limit"));
  COPPICE_TRY(ReadTimeout(query));
  options.continue_token = query.Get("continue");
  options.resource_version = query.Get("resourceVersion");
  options.resource_version_match = query.Get("resourceVersionMatch");
  COPPICE_TRY(CheckVersionMatch(options));
  if (query.Has("sendInitialEvents")) {
    return InvalidOptions(
        "ListOptions",
        api::ForbiddenField("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return options;
}

base::Result<kube::WatchOptions> ReadWatchOptions(const http::Query& query, const std::string& ns) {
  kube::WatchOptions options;
  options.ns = ns;
  options.label_selector = query.Get("labelSelector");
  options.field_selector = query.Get("fieldSelector");
  options.resource_version = query.Get("resourceVersion");
  options.allow_bookmarks = IsTrue(query, "allowWatchBookmarks");
  options.send_initial_events = IsTrue(query, "sendInitialEvents");
  const std::string_view match = query.Get("resourceVersionMatch");
  if (query.Has("sendInitialEvents") && match != "NotOlderThan") {
    return InvalidListOptions(
        "sendInitialEvents requires setting resourceVersionMatch "
        "to NotOlderThan");
  }
  if (!query.Has("sendInitialEvents") && !match.empty()) {
    return InvalidListOptions(
        "resourceVersionMatch is forbidden for watch unless "
        "sendInitialEvents is provided");
  }
  return options;
}

base::Status ReadWriteOptions(const http::Query& query, const char* kind,
                              std::string_view user_agent, Request& request) {
  COPPICE_TRY(CheckDryRun(query, kind));
  request.dry_run = query.Has("dryRun");
  request.force = IsTrue(query, "force");
  request.field_manager = query.Get("fieldManager");
  if (request.field_manager.empty()) {
    request.field_manager = user_agent.substr(0, user_agent.find('/'));
    request.default_manager = true;
  }
  request.field_validation = query.Has("fieldValidation") ? query.Get("fieldValidation") : "Warn";
  for (const char* known : {"", "Ignore", "Warn", "Strict"}) {
    if (request.field_validation == known) return {};
  }
  return InvalidOptions(kind, api::UnsupportedField("fieldValidation", request.field_validation,
                                                    {"", "Ignore", "Strict", "Warn"}));
}

base::Result<Body> ReadBody(const std::string& text, BodyType type) {
  Body body;
  if (type == BodyType::kProtobuf) {
    COPPICE_ASSIGN(body.value, DecodeProtobuf(text));
    return body;
  }
  const bool yaml = type == BodyType::kYaml || type == BodyType::kApplyPatch;
  base::Result<json::Value> parsed = yaml ? json::ParseYaml(text, {.duplicates = &body.duplicates})
                                          : json::Parse(text, {.duplicates = &body.duplicates});
  if (!parsed) {
    return BadRequest(
        fmt::format("error decoding the body of the request: {}", parsed.error().message()));
  }
  body.value = *std::move(parsed);
  return body;
}

base::Result<kube::DeleteOptions> ReadDeleteOptions(const http::Request& request) {
  COPPICE_TRY(CheckDryRun(request.query, "DeleteOptions"));
  kube::DeleteOptions options;
  json::Value body;
  if (!request.body.empty()) {
    COPPICE_ASSIGN(const BodyType type,
                   ReadContentType(request.headers.Get("content-type"), false));
    COPPICE_ASSIGN(Body read, ReadBody(request.body, type));
    body = std::move(read.value);
  }
  if (body.Has("gracePeriodSeconds"))
    options.grace_period_seconds = body["gracePeriodSeconds"].AsInt();
  if (body["preconditions"].Has("uid")) options.uid = body["preconditions"]["uid"].ToString();
  if (body["preconditions"].Has("resourceVersion")) {
    options.resource_version = body["preconditions"]["resourceVersion"].ToString();
  }
  options.propagation = body["propagationPolicy"].ToString();
  if (body.Has("orphanDependents") && body.Has("propagationPolicy")) {
    return InvalidOptions(
        "DeleteOptions",
        api::InvalidField("propagationPolicy", body["propagationPolicy"],
                          "orphanDependents and deletionPropagation cannot be both set"));
  }
  if (body.Has("orphanDependents")) {
    options.propagation = body["orphanDependents"].AsBool() ? "Orphan" : "Background";
  }
  options.dry_run = !body["dryRun"].empty() || request.query.Has("dryRun");
  if (request.query.Has("gracePeriodSeconds")) {
    COPPICE_ASSIGN(const int64_t grace, ReadInt(request.query, "gracePeriodSeconds"));
    options.grace_period_seconds = grace;
  }
  if (request.query.Has("propagationPolicy")) {
    options.propagation = request.query.Get("propagationPolicy");
  }
  if (request.query.Has("orphanDependents")) {
    options.propagation = IsTrue(request.query, "orphanDependents") ? "Orphan" : "Background";
  }
  return options;
}

}  // namespace coppice::server
