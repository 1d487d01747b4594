#include "operator/runtime/labels.h"

namespace coppice::operators {

StringMap DefaultLabels(std::string_view set) {
  return {{std::string(labels::kManagedBy), std::string(labels::kOperator)},
          {std::string(labels::kPartOf), std::string(set)}};
}

std::string Selector(const StringMap& labels) {
  std::string text;
  for (const auto& [key, value] : labels) {
    if (!text.empty()) text += ",";
    text += key + "=" + value;
  }
  return text;
}

}  // namespace coppice::operators
