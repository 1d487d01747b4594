#include "cli/common/read_once_client.h"

#include <fmt/format.h>

namespace coppice::cli {

base::Result<kube::ObjectList> ReadOnceClient::List(const kube::Resource& resource,
                                                    const kube::ListOptions& options) {
  if (options.limit > 0 || !options.resource_version.empty()) {
    return InterceptedClient::List(resource, options);
  }
  const std::string key = fmt::format("{} {} {} {}", resource.QualifiedName(), options.ns,
                                      options.label_selector, options.field_selector);
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = lists_.find(key); known != lists_.end()) return known->second;
  }
  COPPICE_ASSIGN(kube::ObjectList list, InterceptedClient::List(resource, options));
  const std::lock_guard lock(mutex_);
  return lists_.emplace(key, std::move(list)).first->second;
}

}  // namespace coppice::cli
