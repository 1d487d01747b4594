#include "cli/common/list_or_none.h"

namespace coppice::cli {

base::Result<std::vector<json::Value>> ListOrNone(kube::Client& client,
                                                  const api::Resource& resource,
                                                  std::string_view ns) {
  auto list = client.List(resource, {.ns = std::string(ns)});
  if (list) return std::move(list->items);
  if (list.Is(base::ErrorCode::kNotFound)) return std::vector<json::Value>();
  return list.error().During("listing " + resource.plural);
}

}  // namespace coppice::cli
