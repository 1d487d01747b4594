#include "services/scheduler/answer_server.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "json/write.h"
#include "json/yaml/yaml.h"

namespace coppice::services::scheduler {
namespace {

http::Response ErrorResponse(const base::Error& error) {
  const int status = error.code() == base::ErrorCode::kNotFound      ? 404
                     : error.code() == base::ErrorCode::kUnavailable ? 503
                                                                     : 400;
  return http::Response::Make(status, "text/plain", error.message() + "\n");
}

http::Response ResponseOf(const base::Result<json::Value>& answer) {
  if (!answer) return ErrorResponse(answer.error());
  return http::Response::Make(200, "application/json", json::Write(*answer));
}

std::vector<std::string> AllOf(const http::Query& query, std::string_view name) {
  const auto values = query.All(name);
  return {values.begin(), values.end()};
}

base::Status CheckParameters(const http::Query& query, const std::set<std::string_view>& known) {
  for (const auto& [name, value] : query.items()) {
    if (!known.contains(name)) {
      return base::InvalidArgument(
          fmt::format("there is no parameter {}; known are {}", name, fmt::join(known, ", ")));
    }
  }
  return {};
}

base::Result<WhatIfRequest> ReadHttpQuestion(const http::Request& http) {
  COPPICE_TRY(
      CheckParameters(http.query, {"cordon", "drain", "fail", "add-nodes", "like", "quota"}));
  WhatIfRequest request;
  request.cordon = AllOf(http.query, "cordon");
  request.drain = AllOf(http.query, "drain");
  request.fail = AllOf(http.query, "fail");
  request.quotas = AllOf(http.query, "quota");
  request.like = http.query.Get("like");
  const std::string_view count = http.query.Get("add-nodes");
  const auto [end, error] =
      std::from_chars(count.data(), count.data() + count.size(), request.add_nodes);
  if (!count.empty() && (error != std::errc() || end != count.data() + count.size())) {
    return base::InvalidArgument(fmt::format("add-nodes: \"{}\" is not a number", count));
  }
  if (!http.body.empty()) {
    COPPICE_ASSIGN(request.submit, json::ParseYamlDocuments(http.body));
  }
  return request;
}

base::Result<json::Value> AnswerEta(Service& service, const http::Request& request) {
  COPPICE_TRY(CheckParameters(request.query, {"namespace", "group"}));
  const std::string ns(request.query.Get("namespace")), name(request.query.Get("group"));
  if (name.empty()) return base::InvalidArgument("name a PodGroup: /eta?namespace=NS&group=NAME");
  return service.Eta({ns.empty() ? "default" : ns, name});
}

}  // namespace

std::optional<http::Response> AnswerQuestion(Service& service, const http::Request& request) {
  const bool what_if = request.path == "/what-if", eta = request.path == "/eta";
  if ((!what_if && !eta) || !service.options().Answers()) return std::nullopt;
  if (request.method != "GET" && !(what_if && request.method == "POST")) {
    return http::Response::Make(405, "text/plain", "questions are asked with GET\n");
  }
  if (eta) return ResponseOf(AnswerEta(service, request));
  const auto asked = ReadHttpQuestion(request);
  return asked ? ResponseOf(service.WhatIf(*asked)) : ErrorResponse(asked.error());
}

}  // namespace coppice::services::scheduler
