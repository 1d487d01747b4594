#include "api/schema/descriptions_testing.h"

namespace coppice::api {

json::Value WithoutDescriptions(const json::Value& schema) {
  if (schema.IsArray()) {
    json::Value out = json::Value::Array();
    for (const json::Value& item : schema.Items()) out.Append(WithoutDescriptions(item));
    return out;
  }
  if (!schema.IsObject()) return schema;
  json::Value out = json::Value::Object();
  for (const json::Member& member : schema.Members()) {
    // A description is a text; a property of that name is an object.
    if (member.name() == "description" && member.value.IsString()) continue;
    out.Set(member.name(), WithoutDescriptions(member.value));
  }
  return out;
}

}  // namespace coppice::api
