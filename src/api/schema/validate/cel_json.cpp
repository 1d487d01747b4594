#include "api/schema/validate/cel_json.h"

#include "api/schema/validate/cel_names.h"
#include "base/clock.h"

namespace coppice::api {
namespace {

class JsonList final : public cel::List {
 public:
  JsonList(json::Value value, const Schema* schema) : value_(std::move(value)), schema_(schema) {}

  size_t size() const override { return value_.size(); }
  cel::Value At(size_t index) const override {
    return ToCel(value_.At(index), schema_ == nullptr ? nullptr : schema_->items);
  }
  bool IsUnordered() const override {
    return schema_ != nullptr && schema_->list_type != ListType::kAtomic;
  }

 private:
  json::Value value_;
  const Schema* schema_;
};

class JsonMap final : public cel::Map {
 public:
  JsonMap(json::Value value, const Schema* schema) : value_(std::move(value)), schema_(schema) {}

  size_t size() const override { return value_.size(); }

  bool Find(const cel::Value& key, cel::Value& out) const override {
    const auto* name = key.As<std::string>();
    if (name == nullptr) return false;
    const bool has_properties = schema_ != nullptr && !schema_->properties.empty();
    const std::string property = has_properties ? PropertyOfCelName(*schema_, *name) : *name;
    const json::Value* found = value_.Find(property);
    if (found == nullptr) return false;
    out = ToCel(*found, schema_ == nullptr ? nullptr : schema_->FieldSchema(property));
    return true;
  }

  cel::Value KeyAt(size_t index) const override { return value_.Members()[index].name(); }

 private:
  json::Value value_;
  const Schema* schema_;
};

cel::Value InvalidData(std::string_view wanted, std::string_view text) {
  return cel::Value::MakeError("invalid data, expected " + std::string(wanted) + ", got " +
                               std::string(text));
}

cel::Value TextToCel(std::string_view text, const Schema* schema) {
  const std::string_view format = schema == nullptr ? std::string_view() : schema->format;
  if (format == "date-time") {
    const auto time = base::ParseRfc3339(text);
    return time ? cel::Value(*time) : InvalidData("a timestamp", text);
  }
  if (format == "duration") {
    const auto span = base::ParseDuration(text);
    return span ? cel::Value(*span) : InvalidData("a duration", text);
  }
  return text;
}

}  // namespace

cel::Value ToCel(const json::Value& value, const Schema* schema) {
  const bool is_number = schema != nullptr && schema->type == SchemaType::kNumber;
  switch (value.type()) {
    case json::Type::kNull:
      return {};
    case json::Type::kBool:
      return value.AsBool();
    case json::Type::kInt:
      return is_number ? cel::Value(value.AsDouble()) : cel::Value(value.AsInt());
    case json::Type::kDouble: {
      const bool is_integer = schema != nullptr && schema->type == SchemaType::kInteger;
      return is_integer ? cel::Value(value.AsInt()) : cel::Value(value.AsDouble());
    }
    case json::Type::kString:
      return TextToCel(value.AsString(), schema);
    case json::Type::kArray:
      return cel::ListPtr(std::make_shared<JsonList>(value, schema));
    case json::Type::kObject:
      return cel::MapPtr(std::make_shared<JsonMap>(value, schema));
  }
  return {};
}

}  // namespace coppice::api
