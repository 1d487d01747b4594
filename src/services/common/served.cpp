#include "services/common/served.h"

#include <fmt/format.h>

namespace coppice::services {

bool IsServed(kube::Client& client, const api::Resource& resource) {
  const std::string path = resource.group.empty()
                               ? "/api/" + resource.version
                               : fmt::format("/apis/{}/{}", resource.group, resource.version);
  const base::Result<json::Value> list = client.GetPath(path);
  if (!list) return !list.Is(base::ErrorCode::kNotFound);
  for (const json::Value& item : (*list)["resources"].Items()) {
    if (item["name"].AsString() == resource.plural) return true;
  }
  return false;
}

}  // namespace coppice::services
