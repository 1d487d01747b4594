#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/typed/notes.h"
#include "api/typed/typed.h"
#include "base/quantity.h"
#include "json/value.h"

// The OpenAPI schema of a described struct.
namespace coppice::api {

// The structural schema of T: types from the struct, everything else from its Notes.
template <typename T>
json::Value SchemaOf();

namespace typed {

// Found when the struct's own namespace has no notes.
inline StructNotes Notes(const void*) { return {}; }

json::Value ScalarSchema(std::string_view type, std::string_view format = {});
json::Value QuantitySchema();
json::Value ListSchema(json::Value items);
json::Value MapSchema(json::Value values);

template <typename T>
struct Schema;

template <>
struct Schema<std::string> {
  static json::Value Make() { return ScalarSchema("string"); }
};
template <>
struct Schema<bool> {
  static json::Value Make() { return ScalarSchema("boolean"); }
};
template <>
struct Schema<int32_t> {
  static json::Value Make() { return ScalarSchema("integer", "int32"); }
};
template <>
struct Schema<int64_t> {
  static json::Value Make() { return ScalarSchema("integer", "int64"); }
};
template <>
struct Schema<double> {
  static json::Value Make() { return ScalarSchema("number"); }
};
template <>
struct Schema<base::Quantity> {
  static json::Value Make() { return QuantitySchema(); }
};
// Nothing is known: the field's notes name an external schema, or a type.
template <>
struct Schema<json::Value> {
  static json::Value Make() { return json::Value::Object(); }
};
template <typename T>
struct Schema<std::optional<T>> : Schema<T> {};
template <typename T>
struct Schema<std::vector<T>> {
  static json::Value Make() { return ListSchema(Schema<T>::Make()); }
};
template <typename T>
struct Schema<std::map<std::string, T>> {
  static json::Value Make() { return MapSchema(Schema<T>::Make()); }
};

template <DescribedEnum T>
struct Schema<T> {
  static json::Value Make() {
    json::Value names = json::Value::Array();
    boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>(
        [&](auto enumerator) { names.Append(KeyOf(enumerator.name)); });
    json::Value schema = ScalarSchema("string");
    return schema.Set("enum", std::move(names));
  }
};

template <DescribedStruct T>
struct Schema<T> {
  static json::Value Make() {
    json::Value properties = json::Value::Object();
    boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
      using Field = std::remove_cvref_t<decltype(std::declval<T&>().*member.pointer)>;
      properties.Set(KeyOf(member.name), Schema<Field>::Make());
    });
    json::Value schema = ScalarSchema("object");
    if (!properties.empty()) schema.Set("properties", std::move(properties));
    Notes(static_cast<const T*>(nullptr)).ApplyTo(schema);
    return schema;
  }
};

}  // namespace typed

template <typename T>
json::Value SchemaOf() {
  return typed::Schema<T>::Make();
}

}  // namespace coppice::api
