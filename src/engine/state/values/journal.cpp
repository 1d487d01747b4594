#include "engine/state/values/journal.h"

namespace coppice::engine {

void Journal::RollbackTo(size_t mark) {
  // Reversing an operation must not record itself.
  const bool recording = recording_;
  recording_ = false;
  while (entries_.size() > mark) {
    const Entry entry = entries_.back();
    entries_.pop_back();
    if (entry.kind == kOperation) {
      reverser_.Reverse(entry.detail, entry.a, entry.b, entry.old);
    } else if (entry.kind == kValue) {
      std::memcpy(entry.address, &entry.old, entry.detail);
    } else {
      objects_.back()->Restore();
      objects_.pop_back();
    }
  }
  recording_ = recording;
}

}  // namespace coppice::engine
