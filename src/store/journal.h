#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/version.h"

namespace coppice::store {

struct JournalEntry {
  std::string resource;
  std::string name;
  int64_t revision = 0;
  VersionPtr version;    // Null: the object is gone.
  int64_t replaced = 0;  // The revision that this one replaces; 0: none.
};

// Persists a store's objects across restarts. Calls come one at a time, from different threads.
class Journal {
 public:
  using Visit = std::function<void(std::string_view resource, std::string_view name,
                                   int64_t revision, std::shared_ptr<const std::string> bytes)>;

  virtual ~Journal() = default;
  // Calls `visit` for every object in order and returns the newest revision ever committed.
  // Once, before the first Commit.
  virtual base::Result<int64_t> Load(const Visit& visit) = 0;
  // All of them or none. When it returns without error they survive a crash of the machine.
  virtual base::Status Commit(std::span<const JournalEntry> entries) = 0;
  // Frees space if it can. An error says why no more objects fit.
  virtual base::Status MakeRoom() { return {}; }
};

}  // namespace coppice::store
