#pragma once

#include "base/result.h"
#include "http/message.h"
#include "json/value.h"
#include "kube/client/client.h"
#include "server/model/request.h"
#include "server/wire/negotiation.h"

// The options of a request, from its query and, for deletions, its body.
namespace coppice::server {

// A boolean query parameter: anything but "false" and "0" is true.
bool IsTrue(const http::Query& query, std::string_view name);

// timeoutSeconds: 0 if absent, at most a year, negative if already expired.
base::Result<std::chrono::seconds> ReadTimeout(const http::Query& query);
base::Result<kube::ListOptions> ReadListOptions(const http::Query& query, const std::string& ns);
base::Result<kube::WatchOptions> ReadWatchOptions(const http::Query& query, const std::string& ns);
// `kind` is what Kubernetes calls the options: "CreateOptions".
base::Status ReadWriteOptions(const http::Query& query, const char* kind,
                              std::string_view user_agent, Request& request);
base::Result<kube::DeleteOptions> ReadDeleteOptions(const http::Request& request);

struct Body {
  json::Value value;
  std::vector<std::string> duplicates;  // Paths of duplicate keys.
};
base::Result<Body> ReadBody(const std::string& text, BodyType type);

}  // namespace coppice::server
