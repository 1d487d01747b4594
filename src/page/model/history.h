#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "page/model/rows.h"

namespace coppice::page {

// What changed recently: workloads that came, went or are in another phase, nodes that came, went or
// are in another state. Keeps the newest ones. Not thread-safe.
class History {
 public:
  static constexpr size_t kMost = 50;

  // The first call only takes note.
  void Note(const std::vector<WorkloadRow>& workloads, const std::vector<NodeRow>& nodes,
            int64_t now);
  // The newest first.
  std::vector<ChangeRow> Rows() const { return {changes_.begin(), changes_.end()}; }

 private:
  // How something reads, by id.
  using States = std::unordered_map<std::string, std::string>;
  void Compare(std::string_view kind, States now, States& before, int64_t at);
  void Add(std::string_view kind, const std::string& object, std::string text, int64_t at);

  bool began_ = false;
  States workloads_, nodes_;
  std::deque<ChangeRow> changes_;
};

}  // namespace coppice::page
