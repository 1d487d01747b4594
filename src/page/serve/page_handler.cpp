#include "page/serve/page_handler.h"

#include <fmt/format.h>

#include <charconv>

#include "api/edit/page.h"
#include "json/write.h"
#include "page/detail/detail.h"
#include "page/serve/assets.h"

namespace coppice::page {
namespace {

constexpr std::string_view kJson = "application/json";
// Everything comes from here, and nothing is inline.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

int HttpStatus(const base::Error& error) {
  switch (error.code()) {
    case base::ErrorCode::kNotFound:
      return 404;
    case base::ErrorCode::kForbidden:
      return 403;
    case base::ErrorCode::kInvalidArgument:
      return 400;
    default:
      return 502;
  }
}

http::Response Problem(int status, std::string_view error, std::string_view what_to_do) {
  json::Value out;
  edit::page::Problem(out).set_error(error).set_advice(what_to_do);
  return http::Response::Make(status, kJson, json::Write(out));
}

http::Response AnswerOf(const base::Result<json::Value>& result, std::string_view what_to_do) {
  if (result) return http::Response::Make(200, kJson, json::Write(*result));
  return Problem(HttpStatus(result.error()), result.error().message(), what_to_do);
}

// Which views there are is the page's business.
bool IsView(std::string_view path) {
  if (path == "/") return true;
  for (const std::string_view view : {"/map", "/queues", "/workloads", "/waiting"}) {
    if (path == view || (path.starts_with(view) && path[view.size()] == '/')) return true;
  }
  return false;
}

http::Response AssetResponse(const http::Request& request, const Asset& asset) {
  const std::string tag = fmt::format("\"{}\"", asset.hash);
  const bool known = request.headers.Get("if-none-match") == tag;
  http::Response response = known
                                ? http::Response{304, {}, nullptr, {}}
                                : http::Response::Make(200, asset.type, std::string(asset.content));
  response.headers.Set("etag", tag);
  response.headers.Set("cache-control", "no-cache");  // Ask whether it has changed.
  return response;
}

void AddSecurityHeaders(http::Headers& headers) {
  headers.Set("content-security-policy", kPolicy);
  headers.Set("x-content-type-options", "nosniff");
  headers.Set("referrer-policy", "no-referrer");
  headers.Set("cross-origin-opener-policy", "same-origin");
  headers.Set("cross-origin-resource-policy", "same-origin");
  if (!headers.Has("cache-control")) headers.Set("cache-control", "no-store");
}

// Empty if one of them does not exist.
std::vector<std::string> SectionsOf(const http::Request& request) {
  std::vector<std::string> out;
  std::string_view rest = request.query.Get("sections");
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    const std::string_view section = rest.substr(0, comma);
    if (!Board::Has(section)) return {};
    if (std::find(out.begin(), out.end(), section) == out.end()) out.emplace_back(section);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  return out;
}

http::Response NoSuchSection() {
  return Problem(400, "sections: must be a list of overview, nodes, queues and workloads",
                 "reload the page");
}

// As `coppice why` takes it.
std::string WhyTargetOf(const WorkloadId& id) {
  if (id.kind == "PodCliqueSet") return "set/" + id.name;
  if (id.kind == "PodGroup") return "group/" + id.name;
  for (const std::string_view kind :
       {"Pod", "Job", "CronJob", "Deployment", "StatefulSet", "ReplicaSet"}) {
    if (id.kind != kind) continue;
    std::string lower(kind);
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    return lower + "/" + id.name;
  }
  return id.name;
}

}  // namespace

void PageHandler::Handle(http::Request request, std::shared_ptr<http::ResponseWriter> writer) {
  if (auto refusal = access_.Check(request)) {
    AddSecurityHeaders(refusal->headers);
    writer->Send(*std::move(refusal));
    return;
  }
  writer->MarkAuthenticated();
  if (request.path == "/api/changes") return Follow(request, writer);
  http::Response response = Answer(request);
  AddSecurityHeaders(response.headers);
  writer->Send(std::move(response));
}

void PageHandler::Follow(const http::Request& request,
                         const std::shared_ptr<http::ResponseWriter>& writer) {
  const std::vector<std::string> sections = SectionsOf(request);
  int64_t since = 0;
  // A browser that connects again tells in the URL what it has seen.
  const std::string_view text = request.query.Get("since");
  std::from_chars(text.data(), text.data() + text.size(), since);
  if (sections.empty()) return writer->Send(NoSuchSection());
  if (board_.Follow(sections, since, writer)) return;
  writer->Send(Problem(503, fmt::format("{} viewers are connected already", Board::kMostViewers),
                       "close other tabs"));
}

http::Response PageHandler::Answer(const http::Request& request) {
  if (request.path.starts_with("/api/")) return AnswerApi(request);
  const Asset* asset = FindAsset(IsView(request.path) ? "/index.html" : request.path);
  if (asset != nullptr) return AssetResponse(request, *asset);
  return http::Response::Make(404, "text/plain; charset=utf-8",
                              "there is no such page; the views are /, /map, /queues, /workloads "
                              "and /waiting\n");
}

http::Response PageHandler::AnswerApi(const http::Request& request) {
  if (request.path == "/api/state") {
    const std::vector<std::string> sections = SectionsOf(request);
    return sections.empty() ? NoSuchSection() : board_.State(sections);
  }
  const auto id = WorkloadId::Parse(request.query.Get("id"));
  if (!id) {
    return Problem(id ? 404 : 400, "id: must be NAMESPACE/KIND/NAME",
                   "choose a workload from the list");
  }
  if (request.path == "/api/workload") {
    return AnswerOf(ReadDetail(cluster_, *id), "choose a workload from the list");
  }
  if (request.path == "/api/why") {
    return AnswerOf(why_(id->ns, WhyTargetOf(*id)), "try again");
  }
  return Problem(404, "there is no such question", "reload the page");
}

}  // namespace coppice::page
