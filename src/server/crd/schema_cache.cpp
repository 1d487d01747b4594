#include "server/crd/schema_cache.h"

#include <deque>
#include <mutex>

namespace coppice::server {
namespace {

constexpr size_t kMaxSchemas = 128;

struct CachedSchema {
  json::Value openapi;
  std::shared_ptr<const api::SchemaDocument> document;
};

}  // namespace

base::Result<std::shared_ptr<const api::SchemaDocument>> CompileSchema(const json::Value& openapi) {
  static std::mutex mutex;  // Guards entries.
  static std::deque<CachedSchema> entries;
  {
    std::lock_guard lock(mutex);
    for (const CachedSchema& entry : entries) {
      if (entry.openapi.SameAs(openapi) || entry.openapi == openapi) return entry.document;
    }
  }
  COPPICE_ASSIGN(std::shared_ptr<const api::SchemaDocument> document,
                 api::SchemaDocument::Parse(openapi));
  std::lock_guard lock(mutex);
  if (entries.size() == kMaxSchemas) entries.pop_front();
  entries.push_back({openapi, document});
  return document;
}

}  // namespace coppice::server
