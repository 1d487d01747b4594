#include "api/schema/model/schema.h"

#include <algorithm>

namespace coppice::api {

const Schema* Schema::FindProperty(std::string_view wanted) const {
  // Most comparisons end at the first letter.
  const unsigned char first = wanted.empty() ? 0 : static_cast<unsigned char>(wanted[0]);
  const auto at = std::ranges::partition_point(properties, [&](const Property& property) {
    const auto letter = static_cast<unsigned char>(property.name[0]);
    return letter != first ? letter < first : std::string_view(property.name) < wanted;
  });
  return at != properties.end() && at->name == wanted ? at->schema : nullptr;
}

const Schema* Schema::FieldSchema(std::string_view wanted) const {
  const Schema* property = FindProperty(wanted);
  return property != nullptr ? property : additional;
}

}  // namespace coppice::api
