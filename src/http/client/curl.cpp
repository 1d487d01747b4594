#include "http/client/curl.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <mutex>

namespace coppice::http {
namespace {

// After this long without an answer to keep-alive probes or data a connection is dead.
constexpr long kKeepAliveIdleSeconds = 20;
constexpr long kKeepAliveIntervalSeconds = 10;
constexpr int kUserTimeoutMs = 45'000;
// Connections are reopened after a while, so that load spreads over several API servers.
constexpr long kMaxConnectionSeconds = 600;
// A TLS record has at most 16 KiB.
constexpr long kBufferBytes = 32 << 10;

int SetUserTimeout(void*, curl_socket_t fd, curlsocktype) {
  setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof kUserTimeoutMs);
  return CURL_SOCKOPT_OK;
}

curl_blob Blob(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
}

// Failures before a byte of the request was written.
bool NeverSent(CURLcode code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_PROXY:
      return true;
    default:
      return false;
  }
}

// The host and port of a URL, as CURLOPT_CONNECT_TO and the Host field want them.
std::pair<std::string, std::string> HostAndPort(const std::string& url) {
  CURLU* parsed = curl_url();
  char* host = nullptr;
  char* port = nullptr;
  if (curl_url_set(parsed, CURLUPART_URL, url.c_str(), 0) == CURLUE_OK) {
    curl_url_get(parsed, CURLUPART_HOST, &host, 0);
    curl_url_get(parsed, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT);
  }
  std::pair<std::string, std::string> result(host ? host : "", port ? port : "");
  curl_free(host);
  curl_free(port);
  curl_url_cleanup(parsed);
  return result;
}

std::string WithHost(const std::string& url, const std::string& host) {
  CURLU* parsed = curl_url();
  char* changed = nullptr;
  if (curl_url_set(parsed, CURLUPART_URL, url.c_str(), 0) == CURLUE_OK &&
      curl_url_set(parsed, CURLUPART_HOST, host.c_str(), 0) == CURLUE_OK) {
    curl_url_get(parsed, CURLUPART_URL, &changed, 0);
  }
  std::string result = changed ? changed : url;
  curl_free(changed);
  curl_url_cleanup(parsed);
  return result;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  return text;
}

}  // namespace

void InitializeCurl() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

CurlExchange::CurlExchange(const ClientOptions& options, ClientRequest request)
    : options_(options), request_(std::move(request)), handle_(curl_easy_init()) {
  COPPICE_CHECK(handle_ != nullptr);
  SetRequest();
  SetTls();
  SetConnection();
}

CurlExchange::~CurlExchange() {
  curl_easy_cleanup(handle_);
  curl_slist_free_all(headers_);
  curl_slist_free_all(connect_to_);
}

void CurlExchange::SetRequest() {
  curl_easy_setopt(handle_, CURLOPT_URL, request_.url.c_str());
  if (request_.method == "HEAD") {
    curl_easy_setopt(handle_, CURLOPT_NOBODY, 1L);
  } else if (!request_.body.empty() || request_.method == "POST") {
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(handle_, CURLOPT_POSTFIELDS, request_.body.data());
  }
  curl_easy_setopt(handle_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  for (const auto& [name, value] : request_.headers.items()) {
    headers_ = curl_slist_append(headers_, (name + ": " + value).c_str());
  }
  // No pause for a "100 Continue" before each larger body.
  headers_ = curl_slist_append(headers_, "Expect:");
  if (!request_.headers.Has("content-type")) {
    headers_ = curl_slist_append(headers_, "Content-Type:");
  }
  if (request_.gzip) curl_easy_setopt(handle_, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl_easy_setopt(handle_, CURLOPT_USERAGENT, options_.user_agent.c_str());
  curl_easy_setopt(handle_, CURLOPT_WRITEFUNCTION, &CurlExchange::BodyCallback);
  curl_easy_setopt(handle_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(handle_, CURLOPT_HEADERFUNCTION, &CurlExchange::HeaderCallback);
  curl_easy_setopt(handle_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(handle_, CURLOPT_PRIVATE, this);
  if (!request_.may_send) return;
  curl_easy_setopt(handle_, CURLOPT_PREREQFUNCTION, &CurlExchange::BeforeSend);
  curl_easy_setopt(handle_, CURLOPT_PREREQDATA, this);
}

void CurlExchange::SetTls() {
  const ClientTls& tls = options_.tls;
  if (tls.insecure_skip_verify) {
    curl_easy_setopt(handle_, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle_, CURLOPT_SSL_VERIFYHOST, 0L);
    // Nor read the system's authorities for each connection, which takes longer than connecting.
    curl_easy_setopt(handle_, CURLOPT_CAINFO, nullptr);
    curl_easy_setopt(handle_, CURLOPT_CAPATH, nullptr);
  } else if (!tls.ca_pem.empty()) {
    const curl_blob ca = Blob(tls.ca_pem);
    curl_easy_setopt(handle_, CURLOPT_CAINFO_BLOB, &ca);
    curl_easy_setopt(handle_, CURLOPT_CAPATH, nullptr);
  }
  if (!tls.certificate_pem.empty()) {
    const curl_blob certificate = Blob(tls.certificate_pem);
    const curl_blob key = Blob(tls.key_pem);
    curl_easy_setopt(handle_, CURLOPT_SSLCERT_BLOB, &certificate);
    curl_easy_setopt(handle_, CURLOPT_SSLCERTTYPE, "PEM");
    curl_easy_setopt(handle_, CURLOPT_SSLKEY_BLOB, &key);
  }
  if (tls.server_name.empty()) return;
  // curl checks the certificate against the URL's host: put the name there and connect elsewhere.
  const auto [host, port] = HostAndPort(request_.url);
  curl_easy_setopt(handle_, CURLOPT_URL, WithHost(request_.url, tls.server_name).c_str());
  connect_to_ = curl_slist_append(
      nullptr, fmt::format("{}:{}:{}:{}", tls.server_name, port, host, port).c_str());
  curl_easy_setopt(handle_, CURLOPT_CONNECT_TO, connect_to_);
  headers_ = curl_slist_append(headers_, fmt::format("Host: {}:{}", host, port).c_str());
}

void CurlExchange::SetConnection() {
  curl_easy_setopt(handle_, CURLOPT_HTTPHEADER, headers_);
  curl_easy_setopt(handle_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle_, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(handle_, CURLOPT_HTTP_VERSION,
                   options_.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  // Wait for a connection that is being made: it may carry many streams.
  curl_easy_setopt(handle_, CURLOPT_PIPEWAIT, options_.http2 ? 1L : 0L);
  curl_easy_setopt(handle_, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(options_.connect_timeout.count()));
  curl_easy_setopt(handle_, CURLOPT_TIMEOUT_MS, static_cast<long>(request_.timeout.count()));
  curl_easy_setopt(handle_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(handle_, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  curl_easy_setopt(handle_, CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  curl_easy_setopt(handle_, CURLOPT_SOCKOPTFUNCTION, &SetUserTimeout);
  curl_easy_setopt(handle_, CURLOPT_ERRORBUFFER, error_text_);
  curl_easy_setopt(handle_, CURLOPT_BUFFERSIZE, kBufferBytes);
  curl_easy_setopt(handle_, CURLOPT_MAXLIFETIME_CONN, kMaxConnectionSeconds);
  if (options_.proxy_url == "none") {
    curl_easy_setopt(handle_, CURLOPT_NOPROXY, "*");
  } else if (!options_.proxy_url.empty()) {
    curl_easy_setopt(handle_, CURLOPT_PROXY, options_.proxy_url.c_str());
  }
}

void CurlExchange::Complete(CURLcode code) {
  if (code == CURLE_OK) {
    DeliverHead();
    return OnEnd({}, true);
  }
  if (refused_) {
    return OnEnd(base::Cancelled(request_.method + " " + request_.url + " was not sent"), false);
  }
  OnEnd(ErrorOf(code), !NeverSent(code));
}

void CurlExchange::Cancel() { OnEnd(base::Cancelled("the request was cancelled"), true); }

base::Error CurlExchange::ErrorOf(CURLcode code) const {
  const std::string text = error_text_[0] != '\0' ? error_text_ : curl_easy_strerror(code);
  using base::ErrorCode;
  ErrorCode kind = ErrorCode::kUnavailable;
  if (code == CURLE_OPERATION_TIMEDOUT) kind = ErrorCode::kTimeout;
  if (code == CURLE_PEER_FAILED_VERIFICATION) kind = ErrorCode::kUnauthorized;
  if (code == CURLE_WRITE_ERROR) kind = ErrorCode::kTooLarge;
  if (code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL ||
      code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_CACERT_BADFILE) {
    kind = ErrorCode::kInvalidArgument;
  }
  return base::Error(kind, text).During(request_.method + " " + request_.url);
}

void CurlExchange::OnHeaderLine(std::string_view line) {
  line = Trim(line);
  if (line.starts_with("HTTP/")) {  // Also after an interim response or a proxy's answer.
    response_headers_ = {};
    status_ = 0;
    const size_t space = line.find(' ');
    if (space != line.npos) status_ = atoi(std::string(line.substr(space + 1, 3)).c_str());
    return;
  }
  const size_t colon = line.find(':');
  if (colon == line.npos || head_delivered_) return;
  response_headers_.Add(line.substr(0, colon), Trim(line.substr(colon + 1)));
}

void CurlExchange::DeliverHead() {
  if (std::exchange(head_delivered_, true)) return;
  OnHead(status_, std::move(response_headers_));
}

int CurlExchange::BeforeSend(void* self, char*, char*, int, int) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  exchange.refused_ = !exchange.request_.may_send();
  return exchange.refused_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

size_t CurlExchange::HeaderCallback(char* data, size_t size, size_t count, void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  const std::string_view line(data, size * count);
  exchange.OnHeaderLine(line);
  // The empty line: the head is complete, unless it is an interim one.
  if (Trim(line).empty() && exchange.status_ >= 200) {
    long proxy_status = 0;
    curl_easy_getinfo(exchange.handle_, CURLINFO_HTTP_CONNECTCODE, &proxy_status);
    if (proxy_status == 0 || exchange.status_ != proxy_status) exchange.DeliverHead();
  }
  return size * count;
}

size_t CurlExchange::BodyCallback(char* data, size_t size, size_t count, void* self) {
  auto& exchange = *static_cast<CurlExchange*>(self);
  exchange.DeliverHead();
  // Any other number than that given aborts the exchange.
  return exchange.OnBody({data, size * count}) ? size * count : CURL_WRITEFUNC_ERROR;
}

}  // namespace coppice::http
