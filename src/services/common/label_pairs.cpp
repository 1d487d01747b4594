#include "services/common/label_pairs.h"

#include "api/view/meta.h"

namespace coppice::services {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

LabelPairs ParseLabelPairs(std::string_view text) {
  LabelPairs pairs;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos) continue;
    pairs[std::string(Trim(item.substr(0, equals)))] = Trim(item.substr(equals + 1));
  }
  return pairs;
}

bool HasLabelPairs(const json::Value& object, const LabelPairs& pairs) {
  const auto labels = view::meta::PartialObjectMetadata(object).metadata().labels();
  for (const auto& [key, value] : pairs) {
    if (labels[key] != value || !labels.Has(key)) return false;
  }
  return true;
}

}  // namespace coppice::services
