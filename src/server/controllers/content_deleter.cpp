#include "server/controllers/content_deleter.h"

#include "api/well_known.h"
#include "base/log.h"
#include "kube/object.h"
#include "server/crd/crd_serving.h"

namespace coppice::server {
namespace {

constexpr std::string_view kCrdFinalizer = "customresourcecleanup.apiextensions.k8s.io";

std::string StorageOfCrd(const json::Value& crd) {
  return crd["spec"]["group"].ToString() + "/" + crd["spec"]["names"]["plural"].ToString();
}

Request SystemRequest(const ServedPtr& served, std::string ns, std::string name) {
  return {.served = served,
          .ns = std::move(ns),
          .name = std::move(name),
          .user = User::ServiceAccount("kube-system", "namespace-controller"),
          .field_manager = "kube-controller-manager"};
}

}  // namespace

ContentDeleter::ContentDeleter(Core& core)
    : core_(core), work_([this](const std::string& key) { return Process(key); }) {}

void ContentDeleter::Observe(const std::string& storage, const store::Change& change) {
  const json::Value& object = change.current->value();
  std::lock_guard lock(mutex_);
  if (change.deleted) {
    const std::string ns(kube::Namespace(object));
    if (!ns.empty() && terminating_namespaces_.count(ns)) work_.Add("namespace/" + ns);
    if (terminating_crds_.count(storage)) work_.Add("storage/" + storage);
    if (storage == "/namespaces") terminating_namespaces_.erase(std::string(kube::Name(object)));
    if (storage == kCrdStorage) terminating_crds_.erase(StorageOfCrd(object));
    return;
  }
  if (!kube::IsDeleting(object)) return;
  if (storage == "/namespaces") {
    const std::string name(kube::Name(object));
    if (terminating_namespaces_.insert(name).second) work_.Add("namespace/" + name);
  } else if (storage == kCrdStorage) {
    if (terminating_crds_.insert(StorageOfCrd(object)).second)
      work_.Add("storage/" + StorageOfCrd(object));
  }
}

bool ContentDeleter::Process(const std::string& key) {
  const std::string name = key.substr(key.find('/') + 1);
  return key[0] == 'n' ? EmptyNamespace(name) : EmptyCrd(name);
}

size_t ContentDeleter::DeleteAll(const ServedPtr& served, const std::string& ns) {
  const std::string prefix = ns.empty() ? "" : ns + "/";
  const auto listing = core_.store().List(served->storage, {prefix});
  if (!listing || listing->items.empty()) return 0;
  for (const store::VersionPtr& item : listing->items) {
    if (kube::IsDeleting(item->value())) continue;
    const Request request = SystemRequest(served, std::string(kube::Namespace(item->value())),
                                          std::string(kube::Name(item->value())));
    const auto result = core_.Delete(request, {.propagation = "Background"});
    if (result || result.Is(base::ErrorCode::kNotFound)) continue;
    base::LogWarn("content cannot be deleted",
                  {{"object", item->name()}, {"error", result.error().ToString()}});
  }
  const auto left = core_.store().List(served->storage, {prefix});
  return left ? left->items.size() : 1;
}

bool ContentDeleter::EmptyNamespace(const std::string& name) {
  size_t left = 0;
  for (const ServedPtr& served : core_.registry()->Stored()) {
    if (served->resource.namespaced) left += DeleteAll(served, name);
  }
  if (left > 0) return true;  // The deletion of the last one comes back here.
  const Request request = SystemRequest(core_.registry()->Find(api::kNamespaces), "", name);
  const auto result = core_.ModifyQuietly(request, [](const json::Value& current) {
    json::Value next = current;
    next.Mutable("spec").Erase("finalizers");
    return base::Result<json::Value>(std::move(next));
  });
  return result || result.Is(base::ErrorCode::kNotFound);
}

bool ContentDeleter::EmptyCrd(const std::string& storage) {
  std::string crd_name;
  for (const ServedPtr& served : core_.registry()->Stored()) {
    if (served->storage != storage || !served->custom) continue;
    if (DeleteAll(served, "") > 0) return true;
    crd_name = served->crd_name;
  }
  if (crd_name.empty())
    crd_name = storage.substr(storage.find('/') + 1) + "." + storage.substr(0, storage.find('/'));
  const Request request =
      SystemRequest(core_.registry()->Find(api::kCustomResourceDefinitions), "", crd_name);
  const auto result = core_.ModifyQuietly(request, [](const json::Value& current) {
    json::Value next = current;
    json::Value kept = json::Value::Array();
    for (const json::Value& each : current["metadata"]["finalizers"].Items()) {
      if (each.AsString() != kCrdFinalizer) kept.Append(each);
    }
    if (kept.empty()) {
      next.Mutable("metadata").Erase("finalizers");
    } else {
      next.Mutable("metadata").Set("finalizers", kept);
    }
    return base::Result<json::Value>(std::move(next));
  });
  return result || result.Is(base::ErrorCode::kNotFound);
}

}  // namespace coppice::server
