#include "kube/cache/own_writes.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "api/edit/any.h"
#include "api/view/core.h"
#include "kube/object.h"

namespace coppice::kube {
namespace {

constexpr base::Duration kSweepEvery = std::chrono::minutes(1);

// As the server marks it. Only pods are terminated gracefully.
json::Value Deleting(json::Value object, const OwnWrites::Deletion& deletion) {
  const int64_t grace = deletion.grace_period_seconds.value_or(
      view::core::Pod(object).spec().terminationGracePeriodSeconds());
  edit::any::Object(object)
      .metadata()
      .set_deletionTimestamp(base::FormatRfc3339(deletion.at + std::chrono::seconds(grace)))
      .set_deletionGracePeriodSeconds(grace);
  return object;
}

}  // namespace

uint64_t VersionNumber(std::string_view resource_version) {
  uint64_t number = 0;
  const char* end = resource_version.data() + resource_version.size();
  const auto [rest, error] = std::from_chars(resource_version.data(), end, number);
  return error == std::errc() && rest == end ? number : 0;
}

const OwnWrites::Slot* OwnWrites::Find(const json::Value& object) const {
  return objects_.Find({Namespace(object), Name(object)});
}

void OwnWrites::Put(json::Value object, base::Instant now) {
  const uint64_t version = VersionNumber(ResourceVersion(object));
  if (!IsNew(version)) return;
  DropExpired(now);
  Entry entry;
  if (const Slot* known = Find(object)) {
    entry = entries_.at(known);
    if (version <= entry.version) return;  // Answers to two writes came in the other order.
    unsettled_.erase({entry.version, known});
    const bool same = Uid(known->object()) == Uid(object);
    if (entry.deleted && (!same || IsDeleting(object))) {
      entry.deleted.reset();
      --deleted_;
    }
  }
  entry.version = version;
  entry.at = now;
  const Slot& slot = Show(entry, std::move(object));
  unsettled_.emplace(version, &slot);
  entries_.insert_or_assign(&slot, std::move(entry));
}

void OwnWrites::Delete(const json::Value& object, const Deletion& deletion, base::Instant now) {
  if (IsDeleting(object)) return;
  DropExpired(now);
  const Slot* known = Find(object);
  Entry entry = known != nullptr ? entries_.at(known) : Entry();
  if (known == nullptr) entry.version = VersionNumber(ResourceVersion(object));
  entry.deleted = deletion;
  entry.at = now;
  ++deleted_;
  const Slot& slot = Show(entry, object);
  if (known == nullptr && IsNew(entry.version)) unsettled_.emplace(entry.version, &slot);
  entries_.insert_or_assign(&slot, std::move(entry));
}

const OwnWrites::Slot& OwnWrites::Show(const Entry& entry, json::Value object) {
  if (entry.deleted) object = Deleting(std::move(object), *entry.deleted);
  return objects_.PutUnindexed(object);
}

std::optional<json::Value> OwnWrites::Written(const json::Value& object) const {
  const Slot* slot = empty() ? nullptr : Find(object);
  if (slot == nullptr) return std::nullopt;
  json::Value written = slot->object();
  // A deletion is shown at the version before it.
  const bool same = ResourceVersion(written) == ResourceVersion(object) && !IsDeleting(written);
  return same ? std::optional(std::move(written)) : std::nullopt;
}

void OwnWrites::Advance(uint64_t version, const std::vector<Change>& changes,
                        const IndexedObjects& seen, base::Instant now) {
  watched_ = std::max(watched_, version);
  if (empty()) return;
  Settle(seen);
  for (size_t i = 0; i < changes.size() && deleted_ > 0; ++i) {
    const auto entry = entries_.find(Find(changes[i].object));
    if (entry != entries_.end() && entry->second.deleted) ReviewDeletion(entry, seen);
  }
  DropExpired(now);
}

void OwnWrites::Restart(uint64_t version, const IndexedObjects& seen) {
  const bool other_history = version < watched_;
  watched_ = version;
  if (other_history) {
    while (!entries_.empty()) Drop(entries_.begin());
    return;
  }
  Settle(seen);
  std::vector<const Slot*> deleted;
  for (const auto& [slot, entry] : entries_) {
    if (entry.deleted) deleted.push_back(slot);
  }
  for (const Slot* slot : deleted) ReviewDeletion(entries_.find(slot), seen);
}

void OwnWrites::Settle(const IndexedObjects& seen) {
  while (!unsettled_.empty() && unsettled_.begin()->first <= watched_) {
    const auto entry = entries_.find(unsettled_.begin()->second);
    unsettled_.erase(unsettled_.begin());
    entry->second.deleted ? ReviewDeletion(entry, seen) : Drop(entry);
  }
}

bool OwnWrites::IsDeletionSeen(const Slot& slot, const Entry& entry, const IndexedObjects& seen) {
  const Slot* watched = seen.Find(slot.key());
  const json::Value current = watched == nullptr ? json::Value() : watched->object();
  if (watched == nullptr || Uid(current) != Uid(slot.object())) {
    return !IsNew(entry.version);  // Gone; or its creation has not been delivered yet.
  }
  if (IsDeleting(current)) return true;
  if (VersionNumber(ResourceVersion(current)) >= entry.version) Show(entry, current);
  return false;
}

void OwnWrites::ReviewDeletion(Entries::iterator entry, const IndexedObjects& seen) {
  if (IsDeletionSeen(*entry->first, entry->second, seen)) Drop(entry);
}

void OwnWrites::Drop(Entries::iterator entry) {
  if (entry->second.deleted) --deleted_;
  unsettled_.erase({entry->second.version, entry->first});
  objects_.Erase(*entry->first);
  entries_.erase(entry);
}

void OwnWrites::DropExpired(base::Instant now) {
  if (now - swept_ < kSweepEvery) return;
  swept_ = now;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const auto next = std::next(entry);
    if (now - entry->second.at >= kExpiry) Drop(entry);
    entry = next;
  }
}

}  // namespace coppice::kube
