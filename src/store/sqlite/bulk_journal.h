#pragma once

#include <memory>
#include <vector>

#include "store/journal.h"

namespace coppice::store {

// A journal that buffers commits until Finish, then makes them durable in one transaction; from
// then on it passes everything through. For the many small writes of a first start, before any
// client can have seen them.
class BulkJournal final : public Journal {
 public:
  explicit BulkJournal(std::unique_ptr<Journal> inner) : inner_(std::move(inner)) {}

  base::Result<int64_t> Load(const Visit& visit) override { return inner_->Load(visit); }
  base::Status Commit(std::span<const JournalEntry> entries) override;
  base::Status MakeRoom() override { return inner_->MakeRoom(); }
  // Not while a Commit runs.
  base::Status Finish();

 private:
  const std::unique_ptr<Journal> inner_;
  bool gathering_ = true;
  std::vector<JournalEntry> gathered_;
};

}  // namespace coppice::store
