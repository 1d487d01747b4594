#include "kube/transport/paths.h"

#include "api/edit/meta.h"
#include "json/write.h"

namespace coppice::kube {
namespace {

void AddIfSet(http::Query& query, std::string_view name, std::string_view value) {
  if (!value.empty()) query.Add(name, value);
}

}  // namespace

std::string CollectionPath(const api::Resource& resource, std::string_view ns) {
  std::string path = resource.group.empty() ? "/api/" + resource.version
                                            : "/apis/" + resource.group + "/" + resource.version;
  if (resource.namespaced && !ns.empty()) path += "/namespaces/" + http::EncodeUrl(ns);
  return path + "/" + resource.plural;
}

std::string ObjectPath(const api::Resource& resource, const api::ObjectKey& key,
                       std::string_view subresource) {
  std::string path = CollectionPath(resource, key.ns) + "/" + http::EncodeUrl(key.name);
  if (!subresource.empty()) path += "/" + std::string(subresource);
  return path;
}

http::Query ListQuery(const ListOptions& options) {
  http::Query query;
  AddIfSet(query, "labelSelector", options.label_selector);
  AddIfSet(query, "fieldSelector", options.field_selector);
  if (options.limit > 0) query.Add("limit", std::to_string(options.limit));
  AddIfSet(query, "continue", options.continue_token);
  AddIfSet(query, "resourceVersion", options.resource_version);
  AddIfSet(query, "resourceVersionMatch", options.resource_version_match);
  return query;
}

http::Query WatchQuery(const WatchOptions& options, int timeout_seconds) {
  http::Query query;
  query.Add("watch", "true");
  AddIfSet(query, "labelSelector", options.label_selector);
  AddIfSet(query, "fieldSelector", options.field_selector);
  AddIfSet(query, "resourceVersion", options.resource_version);
  if (options.allow_bookmarks || options.send_initial_events) {
    query.Add("allowWatchBookmarks", "true");
  }
  if (options.send_initial_events) {
    query.Add("sendInitialEvents", "true");
    query.Add("resourceVersionMatch", "NotOlderThan");
  }
  query.Add("timeoutSeconds", std::to_string(timeout_seconds));
  return query;
}

http::Query WriteQuery(const WriteOptions& options, bool apply) {
  http::Query query;
  AddIfSet(query, "fieldManager", options.field_manager);
  AddIfSet(query, "fieldValidation", options.field_validation);
  if (options.dry_run) query.Add("dryRun", "All");
  if (apply && options.force) query.Add("force", "true");
  return query;
}

std::string_view PatchContentType(PatchType type) {
  switch (type) {
    case PatchType::kJson:
      return "application/json-patch+json";
    case PatchType::kMerge:
      return "application/merge-patch+json";
    case PatchType::kStrategic:
      return "application/strategic-merge-patch+json";
    case PatchType::kApply:
      return "application/apply-patch+yaml";
  }
  return "";
}

std::string DeleteBody(const DeleteOptions& options) {
  json::Value body = json::Value::Object();
  const edit::meta::DeleteOptions edit(body);
  if (options.uid) edit.preconditions().set_uid(*options.uid);
  if (options.resource_version) {
    edit.preconditions().set_resourceVersion(*options.resource_version);
  }
  if (options.grace_period_seconds) edit.set_gracePeriodSeconds(*options.grace_period_seconds);
  if (!options.propagation.empty()) edit.set_propagationPolicy(options.propagation);
  if (options.dry_run) edit.set_dryRun(json::Value::Array({"All"}));
  if (body.empty()) return "";
  edit.set_apiVersion("v1").set_kind("DeleteOptions");
  return json::Write(body);
}

}  // namespace coppice::kube
