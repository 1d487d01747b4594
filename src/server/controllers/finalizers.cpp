#include "server/controllers/finalizers.h"

#include "kube/object.h"

namespace coppice::server {

bool RemoveFinalizer(Core& core, const json::Value& object, std::string_view finalizer,
                     std::string_view controller) {
  const ServedPtr served =
      core.registry()->FindKind(object["apiVersion"].AsString(), object["kind"].AsString());
  if (!served) return true;
  const Request request{.served = served,
                        .ns = std::string(kube::Namespace(object)),
                        .name = std::string(kube::Name(object)),
                        .user = User::ServiceAccount("kube-system", std::string(controller))};
  const auto result = core.ModifyQuietly(request, [&](const json::Value& current) {
    json::Value next = current;
    json::Value kept = json::Value::Array();
    for (const json::Value& each : current["metadata"]["finalizers"].Items()) {
      if (each.AsString() != finalizer) kept.Append(each);
    }
    next.Mutable("metadata").Set("finalizers", std::move(kept));
    return base::Result<json::Value>(std::move(next));
  });
  return result || result.Is(base::ErrorCode::kNotFound);
}

}  // namespace coppice::server
