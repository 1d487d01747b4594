#include "server/apply/updated_fields.h"

#include <algorithm>
#include <unordered_map>

#include "server/apply/managed_fields.h"
#include "server/apply/owned_fields.h"
#include "server/apply/shape_hash.h"
#include "server/apply/shared_fields.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxDifferences = 1024;
constexpr size_t kMaxWriters = 16;  // Of one difference.

// Everything that decides what Compare finds.
ShapeHash ShapeOf(const Request& request, const json::Value& old, const json::Value& now) {
  const ObjectSchema schema(request.served->schema);
  ShapeHash hash;
  hash.Add(uint64_t{reinterpret_cast<uintptr_t>(request.served.get())});
  for (const json::Member& member : now.Members()) {
    const json::Value* before = old.Find(member.name());
    if (before && *before == member.value) continue;
    hash.Add(member.name());
    hash.Add(uint64_t{before != nullptr});
    const api::Schema* field = schema.Member(member.name());
    before ? AddDifference(*before, member.value, field, hash)
           : AddShape(member.value, field, hash);
  }
  for (const json::Member& member : old.Members()) {
    if (now.Has(member.name())) continue;
    hash.Add(member.name());
    hash.Add(uint64_t{2});
    AddShape(member.value, schema.Member(member.name()), hash);
  }
  return hash;
}

}  // namespace

std::shared_ptr<UpdatedFields> UpdatedFields::Between(const Request& request,
                                                      const json::Value& old,
                                                      const json::Value& now) {
  thread_local std::unordered_map<ShapeHash, std::shared_ptr<UpdatedFields>, ShapeHash::Use> known;
  const ShapeHash shape = ShapeOf(request, old, now);
  if (const auto found = known.find(shape); found != known.end()) return found->second;
  if (known.size() >= kMaxDifferences) known.clear();
  auto fresh =
      std::make_shared<UpdatedFields>(request.served, ComputeDifference(request, old, now));
  known.emplace(shape, fresh);
  return fresh;
}

json::Value UpdatedFields::AddedTo(const json::Value& fields) {
  const auto found = std::ranges::find_if(
      writers_, [&](const Writer& writer) { return writer.before.SameAs(fields); });
  if (found != writers_.end()) return found->after;
  json::Value after = UniteFields(fields, difference_.changed);
  if (!after.SameAs(fields)) after = ShareFields(std::move(after));
  if (writers_.size() >= kMaxWriters) writers_.clear();
  writers_.push_back({fields, after});
  return after;
}

}  // namespace coppice::server
