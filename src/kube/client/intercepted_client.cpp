#include "kube/client/intercepted_client.h"

#include "kube/object.h"

namespace coppice::kube {

using base::Result;
using base::Status;
using json::Value;

std::string_view ToString(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
    case Verb::kGetPath:
      return "getpath";
  }
  return "";
}

std::string Call::What() const {
  const std::string name = resource.QualifiedName();
  return subresource.empty() ? name : name + "/" + subresource;
}

template <typename R, typename Function>
R InterceptedClient::Around(const Call& call, Function&& function) {
  COPPICE_TRY(Before(call));
  R result = function();
  const Status outcome = result.ok() ? Status() : Status(result.error());
  const Status seen = After(call, outcome);
  if (result.ok() && !seen.ok()) return seen.error();
  return result;
}

Result<Value> InterceptedClient::Get(const Resource& resource, const ObjectKey& key,
                                     const GetOptions& options) {
  return Around<Result<Value>>({Verb::kGet, resource, key, options.subresource},
                               [&] { return inner_.Get(resource, key, options); });
}

Result<ObjectList> InterceptedClient::List(const Resource& resource, const ListOptions& options) {
  return Around<Result<ObjectList>>({Verb::kList, resource, {options.ns, ""}, ""},
                                    [&] { return inner_.List(resource, options); });
}

Result<std::unique_ptr<Watch>> InterceptedClient::StartWatch(const Resource& resource,
                                                             const WatchOptions& options,
                                                             WatchSink& sink) {
  return Around<Result<std::unique_ptr<Watch>>>(
      {Verb::kWatch, resource, {options.ns, ""}, ""},
      [&] { return inner_.StartWatch(resource, options, sink); });
}

Result<Value> InterceptedClient::Create(const Resource& resource, const Value& object,
                                        const WriteOptions& options) {
  return Around<Result<Value>>(
      {Verb::kCreate, resource, KeyOf(object), options.subresource, options.dry_run},
      [&] { return inner_.Create(resource, object, options); });
}

Result<Value> InterceptedClient::Update(const Resource& resource, const Value& object,
                                        const WriteOptions& options) {
  return Around<Result<Value>>(
      {Verb::kUpdate, resource, KeyOf(object), options.subresource, options.dry_run},
      [&] { return inner_.Update(resource, object, options); });
}

Result<Value> InterceptedClient::Patch(const Resource& resource, const ObjectKey& key,
                                       PatchType type, const Value& patch,
                                       const WriteOptions& options) {
  return Around<Result<Value>>({Verb::kPatch, resource, key, options.subresource, options.dry_run},
                               [&] { return inner_.Patch(resource, key, type, patch, options); });
}

Status InterceptedClient::Delete(const Resource& resource, const ObjectKey& key,
                                 const DeleteOptions& options) {
  return Around<Status>({Verb::kDelete, resource, key, "", options.dry_run},
                        [&] { return inner_.Delete(resource, key, options); });
}

Status InterceptedClient::DeleteCollection(const Resource& resource, const ListOptions& which,
                                           const DeleteOptions& options) {
  return Around<Status>({Verb::kDeleteCollection, resource, {which.ns, ""}, "", options.dry_run},
                        [&] { return inner_.DeleteCollection(resource, which, options); });
}

Result<Value> InterceptedClient::GetPath(std::string_view path) {
  static const Resource kNone;
  return Around<Result<Value>>({Verb::kGetPath, kNone, {}, ""},
                               [&] { return inner_.GetPath(path); });
}

}  // namespace coppice::kube
