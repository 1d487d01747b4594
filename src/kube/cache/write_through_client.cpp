#include "kube/cache/write_through_client.h"

#include "kube/object.h"

namespace coppice::kube {

using base::Result;
using json::Value;

Result<Value> WriteThroughClient::Create(const Resource& resource, const Value& object,
                                         const WriteOptions& options) {
  return Shown(resource, options, inner().Create(resource, object, options));
}

Result<Value> WriteThroughClient::Update(const Resource& resource, const Value& object,
                                         const WriteOptions& options) {
  return Shown(resource, options, inner().Update(resource, object, options));
}

Result<Value> WriteThroughClient::Patch(const Resource& resource, const ObjectKey& key,
                                        PatchType type, const Value& patch,
                                        const WriteOptions& options) {
  return Shown(resource, options, inner().Patch(resource, key, type, patch, options));
}

base::Status WriteThroughClient::Delete(const Resource& resource, const ObjectKey& key,
                                        const DeleteOptions& options) {
  base::Status deleted = inner().Delete(resource, key, options);
  const bool gone = deleted.ok() || deleted.Is(base::ErrorCode::kNotFound);
  if (gone && !options.dry_run) cache_.Deleted(resource, key, options);
  return deleted;
}

// Subresources such as scale and binding are answered with an object of another kind.
Result<Value> WriteThroughClient::Shown(const Resource& resource, const WriteOptions& options,
                                        Result<Value> answer) {
  if (answer && !options.dry_run && Kind(*answer) == resource.kind) {
    cache_.Wrote(resource, *answer);
  }
  return answer;
}

}  // namespace coppice::kube
