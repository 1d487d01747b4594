#include "store/sqlite/bulk_journal.h"

namespace coppice::store {

base::Status BulkJournal::Commit(std::span<const JournalEntry> entries) {
  if (!gathering_) return inner_->Commit(entries);
  gathered_.insert(gathered_.end(), entries.begin(), entries.end());
  return {};
}

base::Status BulkJournal::Finish() {
  gathering_ = false;
  if (gathered_.empty()) return {};
  const base::Status committed = inner_->Commit(gathered_);
  gathered_.clear();
  return committed;
}

}  // namespace coppice::store
