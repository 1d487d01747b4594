#include "server/webhooks/webhook_client.h"

#include <fmt/format.h>

#include "api/schema/errors/field_error.h"
#include "base/base64.h"
#include "json/parse.h"
#include "json/write.h"
#include "server/webhooks/service_address.h"

namespace coppice::server {
namespace {

constexpr int64_t kDefaultTimeoutSeconds = 10;
constexpr size_t kMaxTransports = 200;
constexpr size_t kMaxQuotedAnswer = 2048;

std::string ServerName(const json::Value& service) {
  return fmt::format("{}.{}.svc", service["name"].AsString(), service["namespace"].AsString());
}

// With the host that users know: the Service's name, not the endpoint that is dialled.
std::string ShownUrl(const json::Value& config) {
  const json::Value& service = config["service"];
  if (!service.IsObject()) return config["url"].ToString();
  const std::string_view path = service["path"].AsString();
  return fmt::format("https://{}:{}{}{}", ServerName(service), service["port"].AsInt(443),
                     path.starts_with('/') ? "" : "/", path);
}

// As a client of Kubernetes' words what a server without better words answers.
std::string DescribeStatus(int status, std::string_view text) {
  switch (status) {
    case 400:
      return "the server rejected our request for an unknown reason";
    case 401:
      return "the server has asked for the client to provide credentials";
    case 403:
    case 415:
      return std::string(text);
    case 404:
      return "the server could not find the requested resource";
    case 405:
      return "the server does not allow this method on the requested resource";
    case 409:
      return "the server reported a conflict";
    case 422:
      return "the server rejected our request due to an error in our request";
    case 429:
      return "the server has received too many requests and has asked us to try again later";
    case 503:
      return "the server is currently unable to handle the request";
    case 504:
      return "the server was unable to return a response in the time allotted, but may still be "
             "processing the request";
    default:
      break;
  }
  if (status >= 500) {
    return fmt::format("an error on the server ({}) has prevented the request from succeeding",
                       api::Quoted(text));
  }
  return fmt::format(
      "the server responded with the status code {} but did not return more information", status);
}

std::string AnswerText(const http::Response& response) {
  if (!response.headers.Get("content-type").starts_with("text/")) return "unknown";
  std::string_view text = response.BodyView().substr(0, kMaxQuotedAnswer);
  while (!text.empty() && isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return std::string(text);
}

std::string WhyNot(const base::Error& error) {
  if (error.Is(base::ErrorCode::kTimeout)) return "context deadline exceeded";
  if (error.Is(base::ErrorCode::kTooLarge)) {
    return fmt::format("the answer is longer than {} bytes", WebhookClient::kMaxAnswerBytes);
  }
  return error.message();
}

}  // namespace

base::Result<WebhookClient::Transport> WebhookClient::TransportFor(const json::Value& config) {
  http::ClientOptions options;
  options.user_agent = "coppice-apiserver";
  options.proxy_url = "none";
  options.max_response_bytes = kMaxAnswerBytes;
  const auto ca = base::Base64Decode(config["caBundle"].AsString());
  if (!ca) return base::InvalidArgument("the webhook's caBundle is not base64");
  options.tls.ca_pem = *ca;
  if (config["service"].IsObject()) options.tls.server_name = ServerName(config["service"]);
  const std::string key = options.tls.server_name + "\n" + *ca;
  std::lock_guard lock(mutex_);
  if (const auto found = transports_.find(key); found != transports_.end()) return found->second;
  COPPICE_ASSIGN(Transport made, http::ClientTransport::Make(options));
  if (transports_.size() >= kMaxTransports) transports_.clear();  // Of authorities long gone.
  return transports_[key] = std::move(made);
}

base::Result<http::Response> WebhookClient::Send(const json::Value& webhook,
                                                 http::ClientRequest request) {
  const json::Value& config = webhook["clientConfig"];
  COPPICE_ASSIGN(const Transport transport, TransportFor(config));
  if (config["service"].IsObject()) {
    COPPICE_ASSIGN(const std::string address, ServiceAddress(store_, config["service"]));
    const size_t host = std::string_view("https://").size();
    request.url.replace(host, request.url.find('/', host) - host, address);
  }
  const std::string operation = request.method + " " + request.url + ": ";
  base::Result<http::Response> response = transport->Send(std::move(request)).response;
  if (response || !response.error().message().starts_with(operation)) return response;
  // The address that was dialled is not what users know the webhook by.
  return base::Error(response.error().code(), response.error().message().substr(operation.size()));
}

base::Result<json::Value> WebhookClient::Post(const json::Value& webhook,
                                              const json::Value& review) {
  const int64_t timeout = webhook["timeoutSeconds"].AsInt(kDefaultTimeoutSeconds);
  http::ClientRequest request;
  request.method = "POST";
  request.url = fmt::format("{}?timeout={}s", ShownUrl(webhook["clientConfig"]), timeout);
  request.headers = {{"content-type", "application/json"}, {"accept", "application/json, */*"}};
  request.body = json::Write(review);
  request.timeout = std::chrono::seconds(timeout);
  const std::string url = request.url;
  const base::Result<http::Response> response = Send(webhook, std::move(request));
  if (!response) {
    return base::Unavailable(
        fmt::format("failed to call webhook: Post \"{}\": {}", url, WhyNot(response.error())));
  }
  if (response->status < 200 || response->status > 206) {
    return base::Unavailable("failed to call webhook: " +
                             DescribeStatus(response->status, AnswerText(*response)));
  }
  base::Result<json::Value> answer = json::Parse(response->BodyView());
  if (answer) return answer;
  return base::Unavailable("failed to call webhook: couldn't get version/kind; json parse error: " +
                           answer.error().message());
}

}  // namespace coppice::server
