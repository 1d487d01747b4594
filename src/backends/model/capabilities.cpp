#include "backends/model/capabilities.h"

namespace coppice::backends {

std::string Capabilities::Id(const api::Resource& resource) {
  std::string id;
  id.reserve(resource.group.size() + resource.version.size() + resource.plural.size() + 2);
  id.append(resource.group).append("/").append(resource.version).append("/");
  return id.append(resource.plural);
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
  const std::string id = Id(resource) + ":" + key.ToString();
  if (object.IsNull()) {
    documents_.erase(id);
  } else {
    documents_[id] = std::move(object);
  }
  return *this;
}

void Capabilities::Miss(const api::Resource& resource, const Capabilities& before) {
  missed_ = true;
  const std::string id = Id(resource);
  const bool known = !before.server_version.empty() && !before.unknown_.contains(id);
  if (!known) unknown_.insert(id);
  if (before.served_.contains(id)) served_.insert(id);
  for (const std::string& field : before.fields_) {
    if (field.starts_with(id + ":")) fields_.insert(field);
  }
  for (const auto& [document, object] : before.documents_) {
    if (document.starts_with(id + ":")) documents_[document] = object;
  }
}

const json::Value& Capabilities::Document(const api::Resource& resource,
                                          const api::ObjectKey& key) const {
  static const json::Value kNone;
  const auto found = documents_.find(Id(resource) + ":" + key.ToString());
  return found == documents_.end() ? kNone : found->second;
}

}  // namespace coppice::backends
