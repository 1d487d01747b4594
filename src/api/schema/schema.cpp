#include "api/schema/schema.h"

#include <algorithm>

namespace coppice::api {

const Schema* Schema::FindProperty(std::string_view wanted) const {
  const auto at = std::ranges::lower_bound(
      properties, wanted, {}, [](const Property& p) -> std::string_view { return p.name; });
  return at != properties.end() && at->name == wanted ? at->schema : nullptr;
}

const Schema* Schema::FieldSchema(std::string_view wanted) const {
  const Schema* property = FindProperty(wanted);
  return property != nullptr ? property : additional;
}

}  // namespace coppice::api
