#include "operator/webhooks/duplicates.h"

#include <algorithm>

namespace coppice::operators::webhooks {

std::vector<std::string> Duplicates(const std::vector<std::string>& texts) {
  std::vector<std::string> found;
  for (const std::string& text : texts) {
    if (std::count(texts.begin(), texts.end(), text) < 2) continue;
    if (std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
  }
  return found;
}

json::Value ToList(const std::vector<std::string>& texts) {
  json::Value list = json::Value::Array();
  for (const std::string& text : texts) list.Append(text);
  return list;
}

}  // namespace coppice::operators::webhooks
