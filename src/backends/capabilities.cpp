#include "backends/capabilities.h"

namespace coppice::backends {

std::string Capabilities::Id(const api::Resource& resource) {
  return resource.group + "/" + resource.version + "/" + resource.plural;
}

Capabilities& Capabilities::Serve(const api::Resource& resource) {
  served_.insert(Id(resource));
  return *this;
}

Capabilities& Capabilities::AddField(const api::Resource& resource, std::string_view path) {
  fields_.insert(Id(resource) + ":" + std::string(path));
  return *this;
}

bool Capabilities::Serves(const api::Resource& resource) const {
  return served_.contains(Id(resource));
}

bool Capabilities::HasField(const api::Resource& resource, std::string_view path) const {
  return fields_.contains(Id(resource) + ":" + std::string(path));
}

Capabilities& Capabilities::AddDocument(const api::Resource& resource, const api::ObjectKey& key,
                                        json::Value object) {
  documents_[Id(resource) + ":" + key.ToString()] = std::move(object);
  return *this;
}

const json::Value& Capabilities::Document(const api::Resource& resource,
                                          const api::ObjectKey& key) const {
  static const json::Value kNone;
  const auto found = documents_.find(Id(resource) + ":" + key.ToString());
  return found == documents_.end() ? kNone : found->second;
}

}  // namespace coppice::backends
