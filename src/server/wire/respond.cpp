#include "server/wire/respond.h"

#include <fmt/format.h>

#include "json/write.h"
#include "json/yaml/yaml.h"
#include "server/model/conversion.h"
#include "server/printers/table.h"
#include "server/protobuf/encode.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxWarningBytes = 4096;

// As Kubernetes has it: control characters go, quotes are escaped, and all warnings together are
// short enough for every client.
std::string QuotedWarning(std::string_view text) {
  std::string quoted = "299 - \"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) continue;
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

void AddWarnings(const Call& call, http::Headers& headers) {
  size_t left = kMaxWarningBytes;
  for (const std::string& text : call.remarks->warnings()) {
    const std::string quoted = QuotedWarning(text);
    if (quoted.size() > left) return;
    left -= quoted.size();
    headers.Add("warning", quoted);
  }
}

void Send(const Call& call, int status, std::string_view type, http::Bytes body) {
  http::Response response;
  response.status = status;
  response.body = std::move(body);
  response.headers.Set("content-type", type);
  response.headers.Set("cache-control", "no-cache, private");
  AddWarnings(call, response.headers);
  call.writer->Send(std::move(response));
}

// The body and its media type in the format that the client takes. What has no protobuf encoding is
// sent as JSON.
std::pair<std::string, const char*> EncodeBody(const Call& call, const json::Value& value) {
  if (call.form.format == BodyFormat::kProtobuf) {
    auto encoded = EncodeProtobuf(value);
    if (encoded) return {*std::move(encoded), "application/vnd.kubernetes.protobuf"};
  }
  if (call.form.format == BodyFormat::kYaml) return {json::WriteYaml(value), "application/yaml"};
  const std::string_view pretty = call.http.query.Get("pretty");
  const bool is_pretty = pretty == "true" || pretty == "1";
  return {is_pretty ? json::WritePretty(value) : json::Write(value) + "\n", "application/json"};
}

void SendEncoded(const Call& call, int status, const json::Value& value) {
  auto [body, type] = EncodeBody(call, value);
  Send(call, status, type, http::MakeBytes(std::move(body)));
}

json::Value PartialMetadata(const json::Value& object) {
  return json::Value::Object({{"apiVersion", "meta.k8s.io/v1"},
                              {"kind", "PartialObjectMetadata"},
                              {"metadata", object["metadata"]}});
}

json::Value ListMetadata(const Core::VersionList& list) {
  json::Value metadata = json::Value::Object({{"resourceVersion", std::to_string(list.revision)}});
  if (!list.continue_token.empty()) {
    metadata.Set("continue", list.continue_token);
    if (list.remaining > 0) metadata.Set("remainingItemCount", list.remaining);
  }
  return metadata;
}

// The stored bytes themselves: nothing is parsed, written or copied again.
http::Response ListResponse(const ServedResource& served, const Core::VersionList& list) {
  static const http::Bytes comma = http::MakeBytes(",");
  http::Response response = http::Response::Make(
      200, "application/json",
      fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{},"items":[)", served.list_kind,
                  served.resource.ApiVersion(), json::Write(ListMetadata(list))));
  response.parts.reserve(2 * list.items.size() + 1);
  for (const store::VersionPtr& item : list.items) {
    if (!response.parts.empty()) response.parts.push_back(comma);
    response.parts.push_back(item->bytes());
  }
  response.parts.push_back(http::MakeBytes("]}\n"));
  return response;
}

json::Value ListValue(const ServedResource& served, const Core::VersionList& list, bool partial) {
  json::Value items = json::Value::Array();
  for (const store::VersionPtr& item : list.items) {
    json::Value object = ToServed(served, item->value());
    items.Append(partial ? PartialMetadata(object) : std::move(object));
  }
  return json::Value::Object(
      {{"kind", partial ? std::string("PartialObjectMetadataList") : served.list_kind},
       {"apiVersion", partial ? std::string("meta.k8s.io/v1") : served.resource.ApiVersion()},
       {"metadata", ListMetadata(list)},
       {"items", std::move(items)}});
}

}  // namespace

json::Value Reshape(const ResponseForm& form, const ServedResource& served,
                    const json::Value& object, bool with_columns, std::string_view include,
                    base::Time now) {
  if (form.shape == Shape::kPartialMetadata) return PartialMetadata(object);
  if (form.shape == Shape::kTable) {
    return MakeTable(served, {object}, TableOptions{with_columns, std::string(include)}, now);
  }
  return object;
}

void SendError(const Call& call, const base::Error& error) {
  const bool invalid = error.Is(base::ErrorCode::kInvalid);
  StatusSubject subject = SubjectOf(error, {call.info.group, call.info.resource, call.info.name});
  if (invalid && error.causes().empty()) subject = {};  // The request is at fault, not the object.
  const json::Value status = StatusOf(error, subject);
  std::string body = json::Write(status) + "\n";
  const char* type = "application/json";
  if (call.form.format == BodyFormat::kProtobuf) std::tie(body, type) = EncodeBody(call, status);
  http::Response response = http::Response::Make(HttpCode(error.code()), type, std::move(body));
  if (error.retry_after()) {
    response.headers.Set("retry-after",
                         std::to_string((error.retry_after()->count() + 999) / 1000));
  }
  AddWarnings(call, response.headers);
  call.writer->Send(std::move(response));
}

void SendValue(const Call& call, int status, const json::Value& value) {
  SendEncoded(call, status, value);
}

void SendText(const Call& call, int status, std::string text) {
  Send(call, status, "text/plain; charset=utf-8", http::MakeBytes(std::move(text)));
}

void SendOutcome(const Call& call, const ServedResource& served, const Outcome& outcome,
                 base::Time now) {
  const int status = outcome.created ? 201 : 200;
  const bool plain = call.form.shape == Shape::kObject && call.form.format == BodyFormat::kJson &&
                     !call.http.query.Has("pretty");
  if (plain && outcome.version && IsStoredVersion(served)) {
    Send(call, status, "application/json", outcome.version->bytes());
    return;
  }
  const bool is_status = outcome.object["kind"].AsString() == "Status";
  if (call.form.shape == Shape::kObject || is_status) {
    SendEncoded(call, status, outcome.object);
    return;
  }
  SendEncoded(
      call, status,
      Reshape(call.form, served, outcome.object, true, call.http.query.Get("includeObject"), now));
}

void SendList(const Call& call, const ServedResource& served, const Core::VersionList& list,
              base::Time now) {
  if (call.form.shape == Shape::kTable) {
    std::vector<json::Value> objects;
    for (const store::VersionPtr& item : list.items) {
      objects.push_back(ToServed(served, item->value()));
    }
    json::Value table =
        MakeTable(served, objects, {true, std::string(call.http.query.Get("includeObject"))}, now);
    table.Set("metadata", ListMetadata(list));
    SendEncoded(call, 200, table);
    return;
  }
  const bool partial = call.form.shape == Shape::kPartialMetadata;
  if (!partial && call.form.format == BodyFormat::kJson && IsStoredVersion(served) &&
      !call.http.query.Has("pretty")) {
    http::Response response = ListResponse(served, list);
    response.headers.Set("cache-control", "no-cache, private");
    call.writer->Send(std::move(response));
    return;
  }
  SendEncoded(call, 200, ListValue(served, list, partial));
}

}  // namespace coppice::server
