#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <vector>

#include "base/result.h"
#include "kube/client/client.h"
#include "server/core/core.h"
#include "server/core/selection.h"

namespace coppice::server {

inline constexpr std::chrono::seconds kBookmarkInterval(60);

// A pull-based watch: a position in the history of one resource. Nothing is queued for a slow
// consumer; one that falls behind the history gets kGone. Not thread-safe.
class WatchCursor {
 public:
  struct Item {
    kube::EventType type;
    json::Value object;         // In the served version.
    store::VersionPtr version;  // Set when `object` is exactly this stored state.
  };

  static base::Result<std::unique_ptr<WatchCursor>> Open(Core& core, const Request& request,
                                                         const kube::WatchOptions& options);

  // The next events, at most `limit`; empty if everything has been delivered.
  base::Result<std::vector<Item>> Next(size_t limit);
  // True if there may be more events for Next.
  bool HasInitial() const { return !initial_.empty() || end_of_initial_; }
  // A bookmark, unless nothing has happened since the last event or bookmark.
  std::optional<Item> Bookmark();
  const std::string& storage() const { return served_->storage; }
  store::Store& store() const { return core_.store(); }

 private:
  WatchCursor(Core& core, ServedPtr served, Selection selection);
  base::Status Begin(const kube::WatchOptions& options);
  base::Status ListInitial();
  std::vector<Item> NextInitial(size_t limit);
  void Translate(const store::Change& change, std::vector<Item>& items) const;
  bool Selects(const store::VersionPtr& version) const;
  Item MakeBookmark(bool end_of_initial) const;

  Core& core_;
  const ServedPtr served_;
  const Selection selection_;
  int64_t after_ = 0;     // Everything up to this revision has been delivered.
  int64_t reported_ = 0;  // The last revision reported to the client.
  std::deque<store::VersionPtr> initial_;
  bool end_of_initial_ = false;  // A bookmark must close the initial events.
};

}  // namespace coppice::server
