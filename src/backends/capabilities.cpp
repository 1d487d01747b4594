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

}  // namespace coppice::backends
