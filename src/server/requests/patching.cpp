#include "server/requests/patching.h"

#include "json/patch/patch.h"
#include "server/model/errors.h"

namespace coppice::server {

base::Result<json::Value> ApplyPatch(const ServedResource& served, kube::PatchType type,
                                     const json::Value& object, const json::Value& patch) {
  if (type == kube::PatchType::kJson) {
    if (!patch.IsArray()) {
      return BadRequest("json: cannot unmarshal object into Go value of type jsonpatch.Patch");
    }
    base::Result<json::Value> next = json::ApplyJsonPatch(object, patch);
    if (next.Is(base::ErrorCode::kInvalid)) {
      return base::Error(base::ErrorCode::kInvalid,
                         "the server rejected our request due to an error in our request");
    }
    return next;
  }
  if (!patch.IsObject()) return BadRequest("the patch is not an object");
  if (type == kube::PatchType::kMerge) return json::ApplyMergePatch(object, patch);
  if (served.custom) {
    return base::Error(base::ErrorCode::kUnsupportedMedia,
                       "the body of the request was in an unknown format - accepted media types "
                       "include: application/json-patch+json, application/merge-patch+json, "
                       "application/apply-patch+yaml");
  }
  return json::ApplyStrategicMergePatch(object, patch, served.schema);
}

}  // namespace coppice::server
