#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "api/resource.h"
#include "json/value.h"

namespace coppice::backends {

// What an API server serves: individual resources rather than groups, and those of their optional
// fields that survive a write. An immutable snapshot once built.
class Capabilities {
 public:
  // "scheduling.k8s.io/v1alpha2/podgroups".
  static std::string Id(const api::Resource& resource);

  Capabilities& Serve(const api::Resource& resource);
  Capabilities& AddField(const api::Resource& resource, std::string_view path);

  bool Serves(const api::Resource& resource) const;
  // Whether the schema has an optional field ("spec.subGroupPolicy"), or it survived a dry-run
  // write.
  bool HasField(const api::Resource& resource, std::string_view path) const;
  const std::set<std::string>& served() const { return served_; }
  const std::set<std::string>& fields() const { return fields_; }

  // Stores an object that was read during discovery, replacing the previous one; null if it does
  // not exist.
  Capabilities& AddDocument(const api::Resource& resource, const api::ObjectKey& key,
                            json::Value object);
  const json::Value& Document(const api::Resource& resource, const api::ObjectKey& key) const;

  // The request about a resource failed; keeps what `before` knows about it.
  void Miss(const api::Resource& resource, const Capabilities& before);
  // Whether it is unknown if the resource is served.
  bool Unknown(const api::Resource& resource) const { return unknown_.contains(Id(resource)); }
  bool complete() const { return !missed_; }

  std::string server_version;  // "v1.36.4"; "" if unknown.

  friend bool operator==(const Capabilities&, const Capabilities&) = default;

 private:
  std::set<std::string> served_;
  std::set<std::string> fields_;
  std::map<std::string, json::Value> documents_;
  std::set<std::string> unknown_;
  bool missed_ = false;
};

}  // namespace coppice::backends
