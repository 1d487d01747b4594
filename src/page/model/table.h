#pragma once

#include <string>
#include <vector>

#include "json/write.h"

namespace coppice::page {

// The rows of a section that changed: complete rows as JSON, and ids of rows that are gone.
struct RowChanges {
  std::vector<std::string> put;
  std::vector<std::string> del;

  bool empty() const { return put.empty() && del.empty(); }
  // {"del":[…],"put":[…]}
  std::string ToJson() const;
};

// "[a,b]" of texts that are JSON already.
std::string JoinJson(const std::vector<std::string>& items);

// The rows of one section, with their JSON, which is written again only for those that change.
template <typename Row>
class Table {
 public:
  // `rows` have increasing ids.
  RowChanges Replace(std::vector<Row> rows) {
    RowChanges changes;
    std::vector<std::string> json(rows.size());
    size_t old = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      while (old < rows_.size() && rows_[old].id < rows[i].id) {
        changes.del.push_back(rows_[old++].id);
      }
      const bool known = old < rows_.size() && rows_[old].id == rows[i].id;
      if (known && rows_[old] == rows[i]) {
        json[i] = std::move(json_[old]);
      } else {
        json[i] = ToJson(rows[i]);
        changes.put.push_back(json[i]);
      }
      old += known;
    }
    while (old < rows_.size()) changes.del.push_back(rows_[old++].id);
    rows_ = std::move(rows);
    json_ = std::move(json);
    return changes;
  }

  std::string Json() const { return JoinJson(json_); }
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::vector<Row> rows_;
  std::vector<std::string> json_;  // Of each row.
};

}  // namespace coppice::page
