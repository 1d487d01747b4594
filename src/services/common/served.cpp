#include "services/common/served.h"

#include <fmt/format.h>

#include "api/view/apidiscovery.h"

namespace coppice::services {

base::Result<bool> IsServed(kube::Client& client, const api::Resource& resource) {
  const std::string path = resource.group.empty()
                               ? "/api/" + resource.version
                               : fmt::format("/apis/{}/{}", resource.group, resource.version);
  const base::Result<json::Value> list = client.GetPath(path);
  if (list.Is(base::ErrorCode::kNotFound)) return false;
  if (!list) return list.error().During("asking whether " + resource.plural + " are served");
  for (const auto item : view::apidiscovery::APIResourceList(*list).resources()) {
    if (item.name() == resource.plural) return true;
  }
  return false;
}

}  // namespace coppice::services
