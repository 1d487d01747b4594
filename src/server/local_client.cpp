#include "server/local_client.h"

#include "kube/object.h"
#include "server/core/watch_pump.h"
#include "server/discovery/discovery.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

class LocalClient final : public kube::Client {
 public:
  LocalClient(Core& core, kube::Executor& executor, User user)
      : core_(core), executor_(executor), user_(std::move(user)) {}

  base::Result<json::Value> Get(const kube::Resource& resource, const kube::ObjectKey& key,
                                const kube::GetOptions& options) override {
    const Request request = RequestFor(resource, key, options.subresource);
    COPPICE_TRY(Allow("get", resource, request));
    return ObjectOf(core_.Get(request));
  }

  base::Result<kube::ObjectList> List(const kube::Resource& resource,
                                      const kube::ListOptions& options) override {
    const Request request = RequestFor(resource, {options.ns, ""});
    COPPICE_TRY(Allow("list", resource, request, options.field_selector));
    return core_.List(request, options);
  }

  base::Result<std::unique_ptr<kube::Watch>> StartWatch(const kube::Resource& resource,
                                                        const kube::WatchOptions& options,
                                                        kube::WatchSink& sink) override {
    const Request request = RequestFor(resource, {options.ns, ""});
    COPPICE_TRY(Allow("watch", resource, request, options.field_selector));
    COPPICE_ASSIGN(std::unique_ptr<WatchCursor> cursor, WatchCursor::Open(core_, request, options));
    return std::unique_ptr<kube::Watch>(
        std::make_unique<WatchPump>(std::move(cursor), options.allow_bookmarks, sink, executor_));
  }

  base::Result<json::Value> Create(const kube::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options) override {
    kube::ObjectKey key = kube::KeyOf(object);
    if (options.subresource.empty()) key.name = "";
    const Request request = WriteFor(resource, std::move(key), options);
    COPPICE_TRY(Allow("create", resource, request));
    return ObjectOf(core_.Create(request, object));
  }

  base::Result<json::Value> Update(const kube::Resource& resource, const json::Value& object,
                                   const kube::WriteOptions& options) override {
    const Request request = WriteFor(resource, kube::KeyOf(object), options);
    COPPICE_TRY(Allow("update", resource, request));
    return ObjectOf(core_.Update(request, object));
  }

  base::Result<json::Value> Patch(const kube::Resource& resource, const kube::ObjectKey& key,
                                  kube::PatchType type, const json::Value& patch,
                                  const kube::WriteOptions& options) override {
    const Request request = WriteFor(resource, key, options);
    COPPICE_TRY(Allow("patch", resource, request));
    return ObjectOf(core_.Patch(request, type, patch));
  }

  base::Status Delete(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::DeleteOptions& options) override {
    Request request = RequestFor(resource, key);
    request.fence = options.fence;
    COPPICE_TRY(Allow("delete", resource, request));
    COPPICE_TRY(core_.Delete(request, options));
    return {};
  }

  base::Status DeleteCollection(const kube::Resource& resource, const kube::ListOptions& which,
                                const kube::DeleteOptions& options) override {
    Request request = RequestFor(resource, {which.ns, ""});
    request.fence = options.fence;
    COPPICE_TRY(Allow("deletecollection", resource, request, which.field_selector));
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

  // Allow says whether there is anything to ask it of.
  Request RequestFor(const kube::Resource& resource, kube::ObjectKey key,
                     const std::string& subresource = "") const {
    Request request{.served = core_.registry()->Find(resource),
                    .ns = std::move(key.ns),
                    .name = std::move(key.name),
                    .subresource = subresource,
                    .user = user_};
    if (request.served && !request.resource().namespaced) request.ns.clear();
    return request;
  }

  Request WriteFor(const kube::Resource& resource, kube::ObjectKey key,
                   const kube::WriteOptions& options) const {
    Request request = RequestFor(resource, std::move(key), options.subresource);
    request.field_manager = options.field_manager;
    request.field_validation = options.field_validation;
    request.dry_run = options.dry_run;
    request.force = options.force;
    request.fence = options.fence;
    return request;
  }

  base::Status Allow(const char* verb, const kube::Resource& resource, const Request& request,
                     const std::string& field_selector = "") {
    COPPICE_TRY(core_.Authorize(user_, {.verb = verb,
                                        .group = resource.group,
                                        .resource = resource.plural,
                                        .subresource = request.subresource,
                                        .name = request.name,
                                        .ns = request.ns,
                                        .path = "",
                                        .field_selector = field_selector}));
    if (!request.served) return ResourceUnknown();
    return request.served->CheckServes(verb, request.subresource);
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
