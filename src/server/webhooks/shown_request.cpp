#include "server/webhooks/shown_request.h"

#include "server/model/conversion.h"
#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

json::Value ShownAs(const ServedResource& as, const json::Value& stored) {
  return stored.IsNull() ? stored : ToServed(as, stored);
}

}  // namespace

ServedPtr MatchedVersion(const json::Value& rules, std::string_view match_policy,
                         const AdmissionRequest& request, const Registry& registry) {
  const ServedPtr own = registry.Find(request.resource);
  if (!own || RulesMatch(rules, request)) return own;
  if (match_policy == "Exact") return nullptr;
  for (const ServedPtr& other : registry.all()) {
    if (other->storage != own->storage || other == own) continue;
    AdmissionRequest equivalent = request;
    equivalent.resource = other->resource;
    if (RulesMatch(rules, equivalent)) return other;
  }
  return nullptr;
}

ShownRequest::ShownRequest(const AdmissionRequest& r, const json::Value& object,
                           const ServedResource& as)
    : object_(ShownAs(as, object)),
      old_object_(ShownAs(as, r.old_object)),
      request{r.operation, as.resource, r.subresource, r.key,    object_,
              old_object_, r.user,      r.dry_run,     r.remarks} {}

}  // namespace coppice::server
