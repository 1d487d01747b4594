#include "server/conversion.h"

namespace coppice::server {

bool IsStoredVersion(const ServedResource& served) {
  return served.storage_version == served.resource.ApiVersion();
}

json::Value ToStored(const ServedResource& served, json::Value object) {
  if (!IsStoredVersion(served)) object.Set("apiVersion", served.storage_version);
  return object;
}

json::Value ToServed(const ServedResource& served, const json::Value& stored) {
  if (IsStoredVersion(served)) return stored;
  json::Value object = stored;
  object.Set("apiVersion", served.resource.ApiVersion());
  return object;
}

}  // namespace coppice::server
