#include "kube/transport/http_client.h"

#include <fmt/format.h>

#include "api/key/any.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"
#include "kube/transport/connection.h"
#include "kube/transport/http_watch.h"
#include "kube/transport/object_decoder.h"
#include "kube/transport/paths.h"

namespace coppice::kube {
namespace {

using base::Result;
using base::Status;
using json::Value;

// A watch has a timeout, which differs between watches, so that load is redistributed over several
// API servers.
constexpr int kMinWatchSeconds = 300;
constexpr int kWatchSecondsSpread = 300;

std::string WithQuery(std::string path, const http::Query& query) {
  return query.empty() ? path : path + "?" + query.Encode();
}

bool IsJson(const http::Response& response) {
  return response.headers.Get("content-type").find("json") != std::string_view::npos;
}

Result<Value> During(Result<Value> value) {
  if (!value) return value.error().During("reading the server's response");
  return value;
}

Result<Value> ParseBody(const http::Response& response) {
  if (!IsJson(response)) return Value(response.BodyView());
  return During(json::Parse(response.BodyView()));
}

Status RequireNamespace(const Resource& resource, std::string_view ns) {
  if (resource.namespaced && ns.empty()) {
    return base::InvalidArgument(
        fmt::format("{} are namespaced: a namespace is required", resource.QualifiedName()));
  }
  return {};
}

Status RequireName(const ObjectKey& key) {
  if (key.name.empty()) return base::InvalidArgument("a name is required");
  return {};
}

void SetFence(const WriteFencePtr& fence, http::ClientRequest& request) {
  if (!fence) return;
  request.headers.Set(WriteFence::kHeader, fence->Encode());
  request.may_send = fence->holds;
}

class HttpClient final : public Client {
 public:
  HttpClient(std::unique_ptr<ClusterConnection> connection, Executor& executor,
             const HttpClientOptions& options)
      : connection_(std::move(connection)),
        executor_(executor),
        decoders_(options.drop_managed_fields, options.share_equal_parts) {}

  Result<Value> Get(const Resource& resource, const ObjectKey& key,
                    const GetOptions& options) override {
    COPPICE_TRY(RequireName(key));
    COPPICE_TRY(RequireNamespace(resource, key.ns));
    return Exchange({.method = "GET", .url = ObjectPath(resource, key, options.subresource)});
  }

  Result<ObjectList> List(const Resource& resource, const ListOptions& options) override {
    COPPICE_ASSIGN(const http::Response response,
                   connection_->Send({.url = WithQuery(CollectionPath(resource, options.ns),
                                                       ListQuery(options))}));
    if (!IsJson(response)) return base::Internal("the server answered a list with something else");
    COPPICE_ASSIGN(Value body,
                   During(decoders_.For(resource)->Decode(response.BodyView(), kListDepth)));
    ObjectList list;
    const view::any::ObjectList view(body);
    list.resource_version = view.metadata().resourceVersion();
    list.continue_token = view.metadata().continue_();
    if (view.items().Json().IsArray()) {
      list.items = std::move(body.Mutable(key::any::ObjectList::items).MutableItems());
    }
    // Servers leave the type out of a list's items.
    for (Value& item : list.items) {
      item.SetDefault(key::any::Object::apiVersion, resource.ApiVersion())
          .SetDefault(key::any::Object::kind, resource.kind);
    }
    return list;
  }

  Result<std::unique_ptr<Watch>> StartWatch(const Resource& resource, const WatchOptions& options,
                                            WatchSink& sink) override {
    const int seconds =
        kMinWatchSeconds + static_cast<int>(connection_->Random() % kWatchSecondsSpread);
    COPPICE_ASSIGN(
        ClusterConnection::Prepared prepared,
        connection_->PrepareStream(
            {.url = WithQuery(CollectionPath(resource, options.ns), WatchQuery(options, seconds)),
             .timeout = std::chrono::milliseconds(0)}));
    // The server ends it; this is for one that forgets to.
    prepared.request.timeout = std::chrono::seconds(seconds + 60);
    auto watch = OpenHttpWatch(std::move(prepared.transport), std::move(prepared.request),
                               executor_, decoders_.For(resource), sink);
    if (watch.Is(base::ErrorCode::kUnauthorized)) connection_->InvalidateCredentials();
    return watch;
  }

  Result<Value> Create(const Resource& resource, const Value& object,
                       const WriteOptions& options) override {
    COPPICE_TRY(RequireNamespace(resource, Namespace(object)));
    const bool nested = !options.subresource.empty();
    if (nested) COPPICE_TRY(RequireName(KeyOf(object)));
    const std::string path = nested ? ObjectPath(resource, KeyOf(object), options.subresource)
                                    : CollectionPath(resource, Namespace(object));
    return Write("POST", path, "application/json", object, WriteQuery(options, false),
                 options.fence);
  }

  Result<Value> Update(const Resource& resource, const Value& object,
                       const WriteOptions& options) override {
    COPPICE_TRY(RequireName(KeyOf(object)));
    COPPICE_TRY(RequireNamespace(resource, Namespace(object)));
    return Write("PUT", ObjectPath(resource, KeyOf(object), options.subresource),
                 "application/json", object, WriteQuery(options, false), options.fence);
  }

  Result<Value> Patch(const Resource& resource, const ObjectKey& key, PatchType type,
                      const Value& patch, const WriteOptions& options) override {
    COPPICE_TRY(RequireName(key));
    COPPICE_TRY(RequireNamespace(resource, key.ns));
    return Write("PATCH", ObjectPath(resource, key, options.subresource), PatchContentType(type),
                 patch, WriteQuery(options, type == PatchType::kApply), options.fence);
  }

  Status Delete(const Resource& resource, const ObjectKey& key,
                const DeleteOptions& options) override {
    COPPICE_TRY(RequireName(key));
    COPPICE_TRY(RequireNamespace(resource, key.ns));
    return DeletePath(ObjectPath(resource, key), options);
  }

  Status DeleteCollection(const Resource& resource, const ListOptions& which,
                          const DeleteOptions& options) override {
    COPPICE_TRY(RequireNamespace(resource, which.ns));
    return DeletePath(WithQuery(CollectionPath(resource, which.ns), ListQuery(which)), options);
  }

  Result<Value> GetPath(std::string_view path) override {
    return Exchange({.url = std::string(path)});
  }

 private:
  Result<Value> Exchange(http::ClientRequest request) {
    COPPICE_ASSIGN(const http::Response response, connection_->Send(std::move(request)));
    return ParseBody(response);
  }

  Result<Value> Write(std::string_view method, const std::string& path, std::string_view type,
                      const Value& body, const http::Query& query, const WriteFencePtr& fence) {
    http::ClientRequest request{.method = std::string(method),
                                .url = WithQuery(path, query),
                                .headers = {{"content-type", type}},
                                .body = json::Write(body)};
    SetFence(fence, request);
    return Exchange(std::move(request));
  }

  Status DeletePath(const std::string& path, const DeleteOptions& options) {
    http::ClientRequest request{.method = "DELETE", .url = path, .body = DeleteBody(options)};
    if (!request.body.empty()) request.headers.Set("content-type", "application/json");
    SetFence(options.fence, request);
    COPPICE_TRY(connection_->Send(std::move(request)));
    return {};
  }

  const std::unique_ptr<ClusterConnection> connection_;
  Executor& executor_;
  ObjectDecoders decoders_;
};

}  // namespace

base::Result<std::unique_ptr<Client>> MakeHttpClient(ClusterConfig config, Executor& executor,
                                                     HttpClientOptions options) {
  COPPICE_ASSIGN(auto connection,
                 ClusterConnection::Make(std::move(config), options, executor.clock()));
  return std::unique_ptr<Client>(
      std::make_unique<HttpClient>(std::move(connection), executor, options));
}

}  // namespace coppice::kube
