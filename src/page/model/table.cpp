#include "page/model/table.h"

namespace coppice::page {

std::string JoinJson(const std::vector<std::string>& items) {
  std::string out = "[";
  for (const std::string& item : items) {
    if (out.size() > 1) out += ',';
    out += item;
  }
  return out += ']';
}

std::string RowChanges::ToJson() const {
  std::vector<std::string> ids(del.size());
  for (size_t i = 0; i < del.size(); ++i) json::WriteString(del[i], ids[i]);
  return "{\"del\":" + JoinJson(ids) + ",\"put\":" + JoinJson(put) + "}";
}

}  // namespace coppice::page
