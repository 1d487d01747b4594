#include "server/local_client.h"

#include "kube/object.h"
#include "server/discovery.h"
#include "server/errors.h"
#include "server/watch_pump.h"

namespace coppice::server {
namespace {

class LocalClient final : public kube::Client {
 public:
  LocalClient(Core& core, kube::Executor& executor, User user)
      : core_(core), executor_(executor), user_(std::move(user)) {}

  base::Result<json::Value> Get(const kube::Resource& resource, const kube::ObjectKey& key,
                                const kube::GetOptions& options) override {
    COPPICE_ASSIGN(Request request, MakeRequest("get", resource, key, options.subresource));
    return ObjectOf(core_.Get(request));
  }

  base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                      const kube::ListOptions& options) override {
    COPPICE_ASSIGN(const Request request, MakeRequest("list", resource, {options.ns, ""}, ""));
    return core_.List(request, options);
  }

  base::Result<std::unique_ptr<kube::Watch>> StartWatch(const kube::Resource& resource,
                                                        const kube::WatchOptions& options,
                                                        kube::WatchSink& sink) override {
    COPPICE_ASSIGN(const Request request, MakeRequest("watch", resource, {options.ns, ""}, ""));
    COPPICE_ASSIGN(std::unique_ptr<WatchCursor> cursor, WatchCursor::Open(core_, request, options));
    return std::unique_ptr<kube::Watch>(
        std::make_unique<WatchPump>(std::move(cursor), options.allow_bookmarks, sink, executor_));
  }

  base::Result<json::Value> Create(const kube::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options) override {
    kube::ObjectKey key = kube::KeyOf(object);
    if (options.subresource.empty()) key.name = "";
    COPPICE_ASSIGN(const Request request, MakeWrite("create", resource, std::move(key), options));
    return ObjectOf(core_.Create(request, object));
  }

  base::Result<json::Value> Update(const kube::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options) override {
    COPPICE_ASSIGN(const Request request,
                   MakeWrite("update", resource, kube::KeyOf(object), options));
    return ObjectOf(core_.Update(request, object));
  }

  base::Result<json::Value> Patch(const kube::Resource& resource, const kube::ObjectKey& key,
                                  kube::PatchType type, const json::Value& patch,
                                  const kube::WriteOptions& options) override {
    COPPICE_ASSIGN(const Request request, MakeWrite("patch", resource, key, options));
    return ObjectOf(core_.Patch(request, type, patch));
  }

  base::Status Delete(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::DeleteOptions& options) override {
    COPPICE_ASSIGN(const Request request, MakeRequest("delete", resource, key, ""));
    COPPICE_TRY(core_.Delete(request, options));
    return {};
  }

  base::Status DeleteCollection(const kube::Resource& resource, const kube::ListOptions& which,
                                const kube::DeleteOptions& options) override {
    COPPICE_ASSIGN(const Request request,
                   MakeRequest("deletecollection", resource, {which.ns, ""}, ""));
    return core_.DeleteCollection(request, which, options);
  }

  base::Result<json::Value> GetPath(std::string_view path) override {
    return Discover(core_, path);
  }

 private:
  static base::Result<json::Value> ObjectOf(base::Result<Outcome> outcome) {
    if (!outcome) return outcome.error();
    return std::move(outcome->object);
  }

  base::Result<Request> MakeRequest(const char* verb, const kube::Resource& resource,
                                    kube::ObjectKey key, const std::string& subresource) {
    COPPICE_TRY(core_.Authorize(user_, {.verb = verb,
                                        .group = resource.group,
                                        .resource = resource.plural,
                                        .subresource = subresource,
                                        .name = key.name,
                                        .ns = key.ns}));
    ServedPtr served = core_.registry()->Find(resource);
    if (!served) return ResourceUnknown();
    if (!subresource.empty() && !served->HasSubresource(subresource)) return ResourceUnknown();
    Request request{.served = std::move(served),
                    .ns = std::move(key.ns),
                    .name = std::move(key.name),
                    .subresource = subresource,
                    .user = user_};
    if (!request.resource().namespaced) request.ns.clear();
    return request;
  }

  base::Result<Request> MakeWrite(const char* verb, const kube::Resource& resource,
                                  kube::ObjectKey key, const kube::WriteOptions& options) {
    COPPICE_ASSIGN(Request request,
                   MakeRequest(verb, resource, std::move(key), options.subresource));
    request.field_manager = options.field_manager;
    request.field_validation = options.field_validation;
    request.dry_run = options.dry_run;
    request.force = options.force;
    return request;
  }

  Core& core_;
  kube::Executor& executor_;
  const User user_;
};

}  // namespace

std::unique_ptr<kube::Client> MakeLocalClient(Core& core, kube::Executor& executor, User user) {
  return std::make_unique<LocalClient>(core, executor, std::move(user));
}

}  // namespace coppice::server
