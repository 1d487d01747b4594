#pragma once

#include <string>

#include "api/resource.h"
#include "http/message.h"
#include "kube/client/client.h"

// The URLs of the Kubernetes API.
namespace coppice::kube {

// "/api/v1/namespaces/a/pods" or "/apis/apps/v1/deployments"; `ns` empty: of all namespaces.
std::string CollectionPath(const api::Resource& resource, std::string_view ns);
// "/api/v1/namespaces/a/pods/p/status".
std::string ObjectPath(const api::Resource& resource, const api::ObjectKey& key,
                       std::string_view subresource = {});

http::Query ListQuery(const ListOptions& options);
http::Query WatchQuery(const WatchOptions& options, int timeout_seconds);
http::Query WriteQuery(const WriteOptions& options, bool apply);

std::string_view PatchContentType(PatchType type);
// The body of a delete, "" when everything is default.
std::string DeleteBody(const DeleteOptions& options);

}  // namespace coppice::kube
