#include "api/schema/model/type_name.h"

namespace coppice::api {

std::string_view TypeName(SchemaType type) {
  switch (type) {
    case SchemaType::kObject:
      return "object";
    case SchemaType::kArray:
      return "array";
    case SchemaType::kString:
      return "string";
    case SchemaType::kInteger:
      return "integer";
    case SchemaType::kNumber:
      return "number";
    case SchemaType::kBoolean:
      return "boolean";
    case SchemaType::kAny:
      break;
  }
  return "";
}

}  // namespace coppice::api
