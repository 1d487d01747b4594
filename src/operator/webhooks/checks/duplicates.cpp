#include "operator/webhooks/checks/duplicates.h"

#include <unordered_map>

namespace coppice::operators::webhooks {

std::vector<std::string> Duplicates(const std::vector<std::string>& texts) {
  std::unordered_map<std::string_view, size_t> counts;
  for (const std::string& text : texts) ++counts[text];
  std::vector<std::string> found;
  for (const std::string& text : texts) {
    size_t& count = counts[text];
    if (count > 1) found.push_back(text);
    count = 0;
  }
  return found;
}

json::Value ToList(const std::vector<std::string>& texts) {
  json::Value list = json::Value::Array();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

}  // namespace coppice::operators::webhooks
