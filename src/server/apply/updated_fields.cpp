#include "server/apply/updated_fields.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "server/apply/managed_fields.h"
#include "server/apply/owned_fields.h"
#include "server/apply/shape_hash.h"
#include "server/apply/shared_fields.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxDifferences = 1024;
constexpr size_t kMaxWriters = 16;   // Of one difference.
constexpr size_t kMaxPlaces = 1000;  // Of a difference that is remembered.

size_t CountPlaces(const FieldSet& set) {
  size_t count = 1;
  for (const auto& [element, child] : set.children) count += CountPlaces(child);
  return count;
}

// Everything that decides what Compare finds.
ShapeHash ShapeOfUpdate(const Request& request, const json::Value& old, const json::Value& now) {
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

// A pod's addresses are known by what they are, and no two pods have the same.
constexpr std::string_view kStatus = "status", kAddresses = "podIPs";

// With another field, so that the status exists without them too.
bool MayHaveAddresses(const json::Value& object) {
  const json::Value& status = object[kStatus];
  return status.IsObject() && status.size() > (status.Has(kAddresses) ? 1u : 0u);
}

bool ChangesAddresses(const json::Value& old, const json::Value& now) {
  return MayHaveAddresses(old) && MayHaveAddresses(now) &&
         !(old[kStatus][kAddresses] == now[kStatus][kAddresses]);
}

json::Value AddressesOf(const json::Value& object) {
  json::Value status = json::Value::Object();
  if (const json::Value* known = object[kStatus].Find(kAddresses)) status.Set(kAddresses, *known);
  return json::Value::Object({{kStatus, status}});
}

json::Value WithoutAddresses(json::Value object) {
  object.Mutable(kStatus).Erase(kAddresses);
  return object;
}

}  // namespace

class UpdatedFields::Remembered {
 public:
  Remembered(ServedPtr served, FieldDifference found)
      : difference(std::move(found)), served_(std::move(served)) {}

  json::Value AddedTo(const json::Value& fields) {
    const auto found = std::ranges::find_if(
        writers_, [&](const Writer& writer) { return writer.before.SameAs(fields); });
    if (found != writers_.end()) return found->after;
    json::Value after = UniteFields(fields, difference.changed);
    if (!after.SameAs(fields)) after = ShareFields(std::move(after));
    if (IsLargeToKeep(fields) || IsLargeToKeep(after)) return after;
    if (writers_.size() >= kMaxWriters) writers_.clear();
    writers_.push_back({fields, after});
    return after;
  }

  const FieldDifference difference;

 private:
  struct Writer {
    json::Value before, after;
  };

  const ServedPtr served_;  // As long as it lives, no other has its address.
  std::vector<Writer> writers_;
};

std::shared_ptr<UpdatedFields::Remembered> UpdatedFields::Remember(const Request& request,
                                                                   const json::Value& old,
                                                                   const json::Value& now) {
  thread_local std::unordered_map<ShapeHash, std::shared_ptr<Remembered>, ShapeHash::Use> known;
  const ShapeHash shape = ShapeOfUpdate(request, old, now);
  if (const auto found = known.find(shape); found != known.end()) return found->second;
  auto fresh = std::make_shared<Remembered>(request.served, ComputeDifference(request, old, now));
  const FieldDifference& difference = fresh->difference;
  if (CountPlaces(difference.changed) + CountPlaces(difference.removed) > kMaxPlaces) return fresh;
  if (known.size() >= kMaxDifferences) known.clear();
  known.emplace(shape, fresh);
  return fresh;
}

UpdatedFields UpdatedFields::Between(const Request& request, const json::Value& old,
                                     const json::Value& now) {
  if (!ChangesAddresses(old, now)) return UpdatedFields(Remember(request, old, now));
  UpdatedFields updated(Remember(request, WithoutAddresses(old), WithoutAddresses(now)));
  updated.own_ = ComputeDifference(request, AddressesOf(old), AddressesOf(now));
  return updated;
}

bool UpdatedFields::empty() const {
  const auto is_empty = [](const FieldDifference& difference) {
    return difference.changed.empty() && difference.removed.empty();
  };
  return is_empty(alike_->difference) && is_empty(own_);
}

json::Value UpdatedFields::AddedTo(const json::Value& fields) const {
  return UniteFields(alike_->AddedTo(fields), own_.changed);
}

json::Value UpdatedFields::TakenFrom(const json::Value& fields) const {
  return SubtractFields(SubtractFields(fields, alike_->difference.changed), own_.changed);
}

json::Value UpdatedFields::WithoutRemoved(const json::Value& fields) const {
  return SubtractFields(SubtractFields(fields, alike_->difference.removed), own_.removed);
}

}  // namespace coppice::server
