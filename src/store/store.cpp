#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "json/text_size.h"

namespace coppice::store {
namespace {

std::string FullName(std::string_view resource, std::string_view name) {
  std::string full;
  full.reserve(resource.size() + name.size() + 1);
  return full.append(resource).append("\n").append(name);
}

int64_t RevisionOf(const VersionPtr& version) { return version ? version->revision() : 0; }

// After this SetRevision copies nothing.
void OwnRevision(json::Value& value) { value.Mutable("metadata").Mutable("resourceVersion"); }

void SetRevision(json::Value& value, int64_t revision) {
  value.Mutable("metadata").Set("resourceVersion", std::to_string(revision));
}

base::Error StaleWrite(std::string_view name, int64_t expected, int64_t found) {
  return base::Conflict(fmt::format("{}: revision {} expected, {} found", name, expected, found));
}

base::Error TooOld(int64_t revision, int64_t floor) {
  return {base::ErrorCode::kGone,
          fmt::format("too old resource version: {} ({})", revision, floor)};
}

// What the parser reads back, also from within a list, an event of a watch or a review.
constexpr size_t kMaxObjectDepth = 500;

base::Status CheckSize(const json::TextSize& size, size_t max_bytes) {
  if (size.bytes > max_bytes) {
    return base::Error(
        base::ErrorCode::kTooLarge,
        fmt::format("Request entity too large: the object would have more than {} bytes",
                    max_bytes));
  }
  if (size.depth <= kMaxObjectDepth) return {};
  return base::InvalidArgument(
      fmt::format("the object nests deeper than {} levels", kMaxObjectDepth));
}

bool HasPrefix(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

}  // namespace

void Store::Table::CollectWakes() {
  std::vector<std::shared_ptr<std::function<void()>>> all;
  for (const auto& [id, wake] : subscribers) all.push_back(wake);
  wakes = std::make_shared<const std::vector<std::shared_ptr<std::function<void()>>>>(all);
}

VersionPtr Store::Table::Find(std::string_view name) const {
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second->second;
}

void Store::Table::Put(const std::string& name, VersionPtr version) {
  if (const auto found = by_name.find(name); found != by_name.end()) {
    found->second->second = std::move(version);
    return;
  }
  const auto added = objects.emplace(name, std::move(version)).first;
  by_name.emplace(added->first, added);
  *count = objects.size();
}

void Store::Table::Erase(std::string_view name) {
  const auto found = by_name.find(name);
  if (found == by_name.end()) return;
  const Objects::iterator object = found->second;
  by_name.erase(found);
  objects.erase(object);
  *count = objects.size();
}

Change Store::Table::ForgetOldest() {
  Change oldest = std::move(log.front());
  log.pop_front();
  log_bytes -= oldest.current->size();
  floor = std::max(floor, oldest.revision);
  return oldest;
}

Store::Store(std::unique_ptr<Journal> journal, Options options)
    : journal_(std::move(journal)), options_(options) {}

Store::~Store() = default;

std::unique_ptr<Store> Store::InMemory(Options options) {
  return std::unique_ptr<Store>(new Store(nullptr, options));
}

base::Result<std::unique_ptr<Store>> Store::Open(std::unique_ptr<Journal> journal,
                                                 Options options) {
  std::unique_ptr<Store> store(new Store(std::move(journal), options));
  COPPICE_TRY(store->Load());
  return store;
}

base::Status Store::Load() {
  Table* table = nullptr;
  std::string current;
  COPPICE_ASSIGN(const int64_t revision,
                 journal_->Load([&](std::string_view resource, std::string_view name, int64_t at,
                                    std::shared_ptr<const std::string> bytes) {
                   if (!table || current != resource) {
                     current = resource;
                     table = &TableFor(resource);
                   }
                   const auto added = table->objects.emplace_hint(
                       table->objects.end(), std::string(name),
                       std::make_shared<Version>(std::string(name), at, std::move(bytes)));
                   table->by_name.emplace(added->first, added);
                 }));
  last_assigned_ = visible_ = std::max<int64_t>(revision, 1);
  loaded_at_ = visible_;
  for (auto& [resource, loaded] : tables_) {
    loaded.floor = visible_;
    *loaded.count = loaded.objects.size();
  }
  return {};
}

int64_t Store::revision() const {
  std::shared_lock lock(read_mutex_);
  return visible_;
}

VersionPtr Store::Get(std::string_view resource, std::string_view name) const {
  std::shared_lock lock(read_mutex_);
  const Table* table = FindTable(resource);
  return table ? table->Find(name) : nullptr;
}

VersionPtr Store::GetNewest(std::string_view resource, std::string_view name) const {
  if (!journal_) return Get(resource, name);
  std::lock_guard lock(write_mutex_);
  return Newest(resource, name);
}

VersionPtr Store::Newest(std::string_view resource, std::string_view name) const {
  if (!newest_.empty()) {
    const auto found = newest_.find(FullName(resource, name));
    if (found != newest_.end()) return found->second;
  }
  return Get(resource, name);
}

base::Result<Listing> Store::List(std::string_view resource, const ListQuery& query) const {
  std::shared_lock lock(read_mutex_);
  Listing listing;
  listing.revision = visible_;
  const Table* table = FindTable(resource);
  if (!table) return listing;
  if (query.at_revision != 0 && query.at_revision < visible_) return ListAt(*table, query);
  auto it = query.after.empty() ? table->objects.lower_bound(query.prefix)
                                : table->objects.upper_bound(query.after);
  for (; it != table->objects.end() && HasPrefix(it->first, query.prefix); ++it) {
    if (query.limit != 0 && listing.items.size() == query.limit) {
      ++listing.remaining;
    } else {
      listing.items.push_back(it->second);
    }
  }
  listing.more = listing.remaining != 0;
  return listing;
}

// The state of the past: the present one with every later change taken back.
base::Result<Listing> Store::ListAt(const Table& table, const ListQuery& query) const {
  if (query.at_revision < table.floor) return TooOld(query.at_revision, table.floor);
  Objects objects;
  for (auto it = table.objects.lower_bound(std::max(query.prefix, query.after));
       it != table.objects.end() && HasPrefix(it->first, query.prefix); ++it) {
    objects.emplace_hint(objects.end(), *it);
  }
  for (auto it = table.log.rbegin(); it != table.log.rend(); ++it) {
    if (it->revision <= query.at_revision) break;
    if (!HasPrefix(it->current->name(), query.prefix)) continue;
    if (it->previous) {
      objects[it->previous->name()] = it->previous;
    } else {
      objects.erase(it->current->name());
    }
  }
  Listing listing;
  listing.revision = query.at_revision;
  for (const auto& [name, version] : objects) {
    if (!HasPrefix(name, query.prefix) || name <= query.after) continue;
    if (query.limit != 0 && listing.items.size() == query.limit) {
      ++listing.remaining;
    } else {
      listing.items.push_back(version);
    }
  }
  listing.more = listing.remaining != 0;
  return listing;
}

size_t Store::Count(std::string_view resource) const {
  std::shared_lock lock(read_mutex_);
  const Table* table = FindTable(resource);
  return table ? table->objects.size() : 0;
}

const std::atomic<size_t>& Store::Counter(std::string_view resource) {
  std::unique_lock lock(read_mutex_);
  return CounterLocked(resource);
}

std::atomic<size_t>& Store::CounterLocked(std::string_view resource) {
  const auto found = counters_.find(resource);
  return found != counters_.end() ? found->second : counters_[std::string(resource)];
}

std::vector<std::string> Store::Resources() const {
  std::shared_lock lock(read_mutex_);
  std::vector<std::string> names;
  for (const auto& [name, table] : tables_) names.push_back(name);
  return names;
}

base::Result<VersionPtr> Store::Put(std::string_view resource, std::string_view name,
                                    int64_t expected, json::Value value, const Guard* guard) {
  // All that can be done before others have to wait.
  const VersionPtr before = expected > 0 ? Get(resource, name) : nullptr;
  const json::TextSize size =
      before ? json::SizeAsText(value, before->value(), before->size(), options_.object_bytes)
             : json::SizeAsText(value, options_.object_bytes);
  COPPICE_TRY(CheckSize(size, options_.object_bytes));
  OwnRevision(value);
  std::string own_name(name);
  Pending pending{{std::string(resource), own_name, 0, nullptr}, {}, nullptr, nullptr};
  std::unique_lock lock(write_mutex_);
  COPPICE_TRY(CheckGuard(guard));
  VersionPtr previous = Newest(resource, name);
  if (RevisionOf(previous) != expected) return StaleWrite(name, expected, RevisionOf(previous));
  const int64_t revision = ++last_assigned_;
  SetRevision(value, revision);
  const VersionPtr version =
      std::make_shared<Version>(std::move(own_name), revision, std::move(value), size.bytes);
  pending.entry.revision = revision;
  pending.entry.version = version;
  pending.entry.replaced = expected;
  pending.change = {revision, version, std::move(previous), false};
  COPPICE_TRY(Commit(std::move(pending), lock));
  return version;
}

base::Result<VersionPtr> Store::Delete(std::string_view resource, std::string_view name,
                                       int64_t expected, const Guard* guard) {
  std::unique_lock lock(write_mutex_);
  COPPICE_TRY(CheckGuard(guard));
  VersionPtr previous = Newest(resource, name);
  if (!previous || previous->revision() != expected) {
    return StaleWrite(name, expected, RevisionOf(previous));
  }
  const int64_t revision = ++last_assigned_;
  json::Value last = previous->value();
  SetRevision(last, revision);
  auto tombstone =
      std::make_shared<Version>(std::string(name), revision, std::move(last), previous->size());
  Pending pending{{std::string(resource), std::string(name), revision, nullptr, expected},
                  {revision, tombstone, std::move(previous), true},
                  nullptr,
                  nullptr};
  COPPICE_TRY(Commit(std::move(pending), lock));
  return VersionPtr(std::move(tombstone));
}

// Enters with write_mutex_ held by `lock`. The first writer that finds no commit in progress takes
// the whole queue to the journal; the others wait for it. This is group commit without a thread.
base::Status Store::Commit(Pending pending, std::unique_lock<std::mutex>& lock) {
  if (!journal_) {
    Publish({&pending, 1});
    lock.unlock();
    Wake({&pending, 1});
    return {};
  }
  base::Status result;
  bool done = false;
  pending.result = &result;
  pending.done = &done;
  const VersionPtr version = pending.entry.version;
  newest_[FullName(pending.entry.resource, pending.entry.name)] = version;
  queue_.push_back(std::move(pending));
  lock.unlock();
  if (version) version->bytes();  // Serialised by each writer, not by the one that commits for all.
  lock.lock();
  while (!done) {
    if (leading_) {
      committed_.wait(lock);
    } else {
      LeadCommit(lock);
    }
  }
  return result;
}

base::Status Store::CheckGuard(const Guard* guard) const {
  return guard ? guard->check(Newest(guard->resource, guard->name)) : base::Status();
}

void Store::LeadCommit(std::unique_lock<std::mutex>& lock) {
  leading_ = true;
  std::vector<Pending> batch = std::move(queue_);
  queue_.clear();
  lock.unlock();
  const base::Status status = CommitBatch(batch);
  lock.lock();
  if (status.ok()) {
    Finish(batch, status);
  } else {
    // Writes queued behind this batch may depend on it.
    batch.insert(batch.end(), queue_.begin(), queue_.end());
    queue_.clear();
    newest_.clear();
    CommitOneByOne(batch);
  }
  leading_ = false;
  committed_.notify_all();
  lock.unlock();
  Wake(batch);
  batch.clear();  // Its last contents are freed outside the lock.
  lock.lock();
}

// On a full disk, small writes and deletions must not fail because of a large write in the same
// batch. A write that follows a failed write of the same object depends on it and fails too. There
// are no other writers meanwhile, so every write is based on the current state.
void Store::CommitOneByOne(std::vector<Pending>& batch) {
  std::unordered_map<std::string, base::Status> failed;
  for (Pending& each : batch) {
    const std::string name = FullName(each.entry.resource, each.entry.name);
    const auto before = failed.find(name);
    const base::Status status = before != failed.end() ? before->second : CommitBatch({&each, 1});
    if (!status) failed.emplace(name, status);
    Finish({&each, 1}, status);
  }
}

void Store::Finish(std::span<Pending> batch, const base::Status& status) {
  if (status.ok()) Publish(batch);
  for (const Pending& each : batch) {
    const auto newest = newest_.find(FullName(each.entry.resource, each.entry.name));
    if (newest != newest_.end() && newest->second == each.entry.version) newest_.erase(newest);
    *each.result = status;
    *each.done = true;
  }
}

base::Status Store::CommitBatch(std::span<const Pending> batch) {
  std::vector<JournalEntry> entries;
  entries.reserve(batch.size());
  for (const Pending& each : batch) entries.push_back(each.entry);
  base::Status status = journal_->Commit(entries);
  if (!status) failed_ = true;
  return status;
}

base::Status Store::CheckRoom() {
  if (!failed_) return {};
  std::unique_lock lock(write_mutex_);
  committed_.wait(lock, [this] { return !leading_; });
  base::Status status = journal_->MakeRoom();
  failed_ = !status.ok();
  return status;
}

void Store::Publish(std::span<Pending> batch) {
  std::unique_lock lock(read_mutex_);
  for (Pending& each : batch) {
    Table& table = TableFor(each.entry.resource);
    if (each.change.deleted) {
      table.Erase(each.entry.name);
    } else {
      table.Put(each.entry.name, each.change.current);
    }
    AddToLog(table, each);
    each.wakes = table.wakes;
    COPPICE_CHECK(each.change.revision > visible_);
    visible_ = each.change.revision;
    if (observer_) observer_(each.entry.resource, each.change);
  }
}

void Store::AddToLog(Table& table, Pending& pending) {
  table.log.push_back(pending.change);
  table.log_bytes += pending.change.current->size();
  log_bytes_ += pending.change.current->size();
  const auto forget = [&](Table& from) {
    pending.forgotten.push_back(from.ForgetOldest());
    log_bytes_ -= pending.forgotten.back().current->size();
  };
  if (table.log.size() > options_.history) forget(table);
  while (log_bytes_ > options_.history_bytes) {
    forget(std::ranges::max_element(tables_, {}, [](const auto& entry) {
             return entry.second.log_bytes;
           })->second);
  }
}

void Store::Wake(std::span<const Pending> batch) {
  const void* last = nullptr;
  for (const Pending& each : batch) {
    if (!each.wakes || each.wakes.get() == last) continue;
    last = each.wakes.get();
    for (const auto& wake : *each.wakes) (*wake)();
  }
}

base::Result<Store::LogRead> Store::ReadLog(std::string_view resource, int64_t after,
                                            size_t limit) const {
  std::shared_lock lock(read_mutex_);
  LogRead read;
  read.upto = std::max(after, visible_);
  const Table* table = FindTable(resource);
  const int64_t floor = table ? table->floor : loaded_at_;
  if (after < floor) return TooOld(after, floor);
  if (!table) return read;
  auto it = std::upper_bound(table->log.begin(), table->log.end(), after,
                             [](int64_t at, const Change& change) { return at < change.revision; });
  for (; it != table->log.end(); ++it) {
    if (read.changes.size() == limit) {
      read.upto = read.changes.back().revision;
      break;
    }
    read.changes.push_back(*it);
  }
  return read;
}

void Store::Compact(int64_t revision) {
  std::unique_lock lock(read_mutex_);
  for (auto& [name, table] : tables_) {
    while (!table.log.empty() && table.log.front().revision <= revision) {
      log_bytes_ -= table.ForgetOldest().current->size();
    }
    table.floor = std::max(table.floor, std::min(revision, visible_));
  }
}

Store::SubscriptionId Store::Subscribe(std::string_view resource, std::function<void()> wake) {
  std::unique_lock lock(read_mutex_);
  const SubscriptionId id = next_subscription_++;
  Table& table = TableFor(resource);
  table.subscribers[id] = std::make_shared<std::function<void()>>(std::move(wake));
  table.CollectWakes();
  return id;
}

void Store::Unsubscribe(std::string_view resource, SubscriptionId id) {
  std::unique_lock lock(read_mutex_);
  Table& table = TableFor(resource);
  table.subscribers.erase(id);
  table.CollectWakes();
}

void Store::SetObserver(Observer observer) {
  std::unique_lock lock(read_mutex_);
  observer_ = std::move(observer);
}

Store::Table& Store::TableFor(std::string_view resource) {
  const auto found = by_resource_.find(resource);
  if (found != by_resource_.end()) return *found->second;
  const auto added = tables_.emplace(resource, Table()).first;
  by_resource_.emplace(added->first, &added->second);
  added->second.floor = loaded_at_;
  added->second.count = &CounterLocked(resource);
  return added->second;
}

const Store::Table* Store::FindTable(std::string_view resource) const {
  const auto found = by_resource_.find(resource);
  return found == by_resource_.end() ? nullptr : found->second;
}

}  // namespace coppice::store
