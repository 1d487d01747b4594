#include "server/apply/shared_fields.h"

#include <unordered_map>

#include "json/content_hash.h"
#include "json/text_size.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxParts = 1024;

json::Value SharePart(const json::Value& part) {
  thread_local std::unordered_map<json::ContentHash, json::Value, json::ContentHash::Use> known;
  json::ContentHash hash;
  hash.Add(part);
  // Compared too: clients choose what is hashed.
  if (const auto found = known.find(hash); found != known.end()) {
    return found->second == part ? found->second : part;
  }
  if (IsLargeToKeep(part)) return part;
  if (known.size() >= kMaxParts) known.clear();
  return known.emplace(hash, part).first->second;
}

}  // namespace

bool IsLargeToKeep(const json::Value& fields) {
  constexpr size_t kMaxKept = 64 << 10;
  return json::SizeAsText(fields, kMaxKept).bytes > kMaxKept;
}

// Part by part: the metadata may contain an owner's uid, which is unique.
json::Value ShareFields(json::Value fields) {
  std::vector<json::Member> parts;
  parts.reserve(fields.size());
  for (const json::Member& part : fields.Members()) {
    parts.push_back({part.key, SharePart(part.value)});
  }
  return json::Value::Object(std::move(parts));
}

}  // namespace coppice::server
