#include "api/typed/schema_of.h"

namespace coppice::api::typed {

json::Value ScalarSchema(std::string_view type, std::string_view format) {
  json::Value schema = json::Value::Object({{"type", type}});
  if (!format.empty()) schema.Set("format", format);
  return schema;
}

json::Value IntOrStringSchema() {
  return json::Value::Object(
      {{"anyOf", json::Value::Array({ScalarSchema("integer"), ScalarSchema("string")})},
       {"x-kubernetes-int-or-string", true}});
}

json::Value QuantitySchema() {
  json::Value schema = IntOrStringSchema();
  return schema.Set(
      "pattern",
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\"
      ".[0-9]*)?)|(\\.[0-9]+))))?$");
}

json::Value ListSchema(json::Value items) {
  return ScalarSchema("array").Set("items", std::move(items));
}

json::Value MapSchema(json::Value values) {
  return ScalarSchema("object").Set("additionalProperties", std::move(values));
}

}  // namespace coppice::api::typed
