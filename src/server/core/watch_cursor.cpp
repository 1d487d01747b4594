#include "server/core/watch_cursor.h"

#include "kube/object.h"
#include "server/model/conversion.h"
#include "server/model/errors.h"

namespace coppice::server {

WatchCursor::WatchCursor(Core& core, ServedPtr served, Selection selection)
    : core_(core), served_(std::move(served)), selection_(std::move(selection)) {}

base::Result<std::unique_ptr<WatchCursor>> WatchCursor::Open(Core& core, const Request& request,
                                                             const kube::WatchOptions& options) {
  COPPICE_ASSIGN(Selection selection,
                 Selection::Parse(*request.served, options.ns, options.label_selector,
                                  options.field_selector));
  std::unique_ptr<WatchCursor> cursor(new WatchCursor(core, request.served, std::move(selection)));
  COPPICE_TRY(cursor->Begin(options));
  return cursor;
}

// Without a version, or with "0", the present objects come first, as in Kubernetes.
base::Status WatchCursor::Begin(const kube::WatchOptions& options) {
  const std::string& from = options.resource_version;
  end_of_initial_ = options.send_initial_events && options.allow_bookmarks;
  COPPICE_ASSIGN(after_, core_.ReadRevision(from));
  if (options.send_initial_events || after_ == 0) return ListInitial();
  reported_ = after_;
  return {};
}

base::Status WatchCursor::ListInitial() {
  COPPICE_ASSIGN(store::Listing listing, core_.store().List(served_->storage, {selection_.prefix}));
  for (store::VersionPtr& version : listing.items) {
    if (Selects(version)) initial_.push_back(std::move(version));
  }
  after_ = listing.revision;
  return {};
}

bool WatchCursor::Selects(const store::VersionPtr& version) const {
  if (!version) return false;
  if (!selection_.prefix.empty() &&
      version->name().compare(0, selection_.prefix.size(), selection_.prefix) != 0) {
    return false;
  }
  return selection_.MatchesEverything() || selection_.Matches(version->value());
}

base::Result<std::vector<WatchCursor::Item>> WatchCursor::Next(size_t limit) {
  if (HasInitial()) return NextInitial(limit);
  while (true) {
    COPPICE_ASSIGN(const store::Store::LogRead read,
                   core_.store().ReadLog(served_->storage, after_, limit));
    std::vector<Item> items;
    for (const store::Change& change : read.changes) Translate(change, items);
    after_ = read.upto;
    if (!items.empty()) reported_ = read.changes.back().revision;
    // Changes that the selection hides are passed over without waking the consumer for nothing.
    if (!items.empty() || read.changes.size() < limit) return items;
  }
}

std::vector<WatchCursor::Item> WatchCursor::NextInitial(size_t limit) {
  std::vector<Item> items;
  for (; !initial_.empty() && items.size() < limit; initial_.pop_front()) {
    const store::VersionPtr& version = initial_.front();
    items.push_back({kube::EventType::kAdded, ToServed(*served_, version->value()), version});
  }
  if (initial_.empty() && end_of_initial_) {
    items.push_back(MakeBookmark(true));
    end_of_initial_ = false;
  }
  if (initial_.empty()) reported_ = after_;
  return items;
}

// An object enters the selection, changes within it, or leaves it.
void WatchCursor::Translate(const store::Change& change, std::vector<Item>& items) const {
  const bool was = Selects(change.previous);
  const bool is = !change.deleted && Selects(change.current);
  if (!was && !is) return;
  if (is || change.deleted) {
    const kube::EventType type = !is   ? kube::EventType::kDeleted
                                 : was ? kube::EventType::kModified
                                       : kube::EventType::kAdded;
    items.push_back({type, ToServed(*served_, change.current->value()), change.current});
    return;
  }
  json::Value last = ToServed(*served_, change.previous->value());
  last.Mutable("metadata").Set("resourceVersion", std::to_string(change.revision));
  items.push_back({kube::EventType::kDeleted, std::move(last), nullptr});
}

WatchCursor::Item WatchCursor::MakeBookmark(bool end_of_initial) const {
  json::Value metadata = json::Value::Object(
      {{"resourceVersion", std::to_string(after_)}, {"creationTimestamp", json::Value()}});
  if (end_of_initial) {
    metadata.Set("annotations", json::Value::Object({{"k8s.io/initial-events-end", "true"}}));
  }
  return {kube::EventType::kBookmark,
          json::Value::Object({{"apiVersion", served_->resource.ApiVersion()},
                               {"kind", served_->resource.kind},
                               {"metadata", std::move(metadata)}}),
          nullptr};
}

std::optional<WatchCursor::Item> WatchCursor::Bookmark() {
  if (HasInitial() || after_ == reported_) return std::nullopt;
  reported_ = after_;
  return MakeBookmark(false);
}

}  // namespace coppice::server
