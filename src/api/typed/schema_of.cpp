#include "api/typed/schema_of.h"

namespace coppice::api::typed {

json::Value ScalarSchema(std::string_view type, std::string_view format) {
  json::Value schema = json::Value::Object({{"type", type}});
  if (!format.empty()) schema.Set("format", format);
  return schema;
}

json::Value QuantitySchema() {
  constexpr std::string_view kPattern =
      R"(^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+)))"
      R"((([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$)";
  return json::Value::Object(
      {{"anyOf", json::Value::Array({ScalarSchema("integer"), ScalarSchema("string")})},
       {"pattern", kPattern},
       {"x-kubernetes-int-or-string", true}});
}

json::Value ListSchema(json::Value items) {
  return ScalarSchema("array").Set("items", std::move(items));
}

json::Value MapSchema(json::Value values) {
  return ScalarSchema("object").Set("additionalProperties", std::move(values));
}

}  // namespace coppice::api::typed
