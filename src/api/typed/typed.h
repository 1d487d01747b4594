#pragma once

#include <boost/describe/enumerators.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "api/typed/read_context.h"
#include "base/quantity.h"
#include "base/result.h"
#include "json/value.h"

// C++ structs to JSON documents and back.
//
// A struct lists its members once, named as in the API; where C++ reserves a name, a trailing
// underscore is added, which the JSON key does not have:
//
//   struct PodCliqueSpec {
//     std::string roleName;
//     int32_t replicas = 0;
//     std::optional<int32_t> minAvailable;
//     std::vector<std::string> startsAfter;
//     json::Value podSpec;  // Kept as it is.
//   };
//   BOOST_DESCRIBE_STRUCT(PodCliqueSpec, (), (roleName, replicas, minAvailable, startsAfter,
//   podSpec))
//
//   COPPICE_ASSIGN(auto spec, api::Read<PodCliqueSpec>(object["spec"], "spec"));
//   object.Set("spec", api::Write(spec));
//
// Members may be: std::string, bool, int32_t, int64_t, double, base::Quantity, api::IntOrString,
// json::Value (anything), described enums (by enumerator name), described structs (members of
// described bases count as their own), and std::optional, std::vector and std::map<std::string, …>
// of these; also any type with `static Result<T> FromJson(const json::Value&)` and `ToJson()`.
//
// Reading: missing and null leave the member as the struct initialises it; unknown keys are
// ignored; a wrong type is an error that names the field ("spec.replicas: …").
//
// Writing leaves out what Go's omitempty leaves out (empty strings, lists and maps, zero, false,
// absent optionals, null), but only where the struct initialises the member to the same, so that
// Read(Write(x)) == x. Members that must always be written are named once, beside the struct:
//
//   COPPICE_ALWAYS_WRITTEN(PodCliqueSpec, "replicas", "roleName")
//
// Schemas and CRDs are generated from the same structs: api/typed/crd.h.
namespace coppice::api {

template <typename T>
base::Result<T> Read(const json::Value& value, std::string_view path = {});
template <typename T>
json::Value Write(const T& value);

// Put beside the struct, in its namespace.
#define COPPICE_ALWAYS_WRITTEN(Struct, ...)                                              \
  [[maybe_unused]] inline bool IsAlwaysWritten(const Struct*, std::string_view member) { \
    for (const std::string_view name : {__VA_ARGS__}) {                                  \
      if (name == member) return true;                                                   \
    }                                                                                    \
    return false;                                                                        \
  }

namespace typed {

template <typename T>
concept DescribedStruct = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <typename T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <typename T>
concept SelfWriting = requires(const T& t, const json::Value& v) {
  { t.ToJson() } -> std::convertible_to<json::Value>;
  { T::FromJson(v) } -> std::same_as<base::Result<T>>;
};

template <typename T>
using MembersOf = boost::describe::describe_members<T, boost::describe::mod_public |
                                                           boost::describe::mod_inherited>;

// The JSON key of a member or enumerator: its name without the trailing underscore.
constexpr std::string_view KeyOf(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

// Found when the struct's own namespace says nothing.
inline bool IsAlwaysWritten(const void*, std::string_view) { return false; }

bool ReadInto(const json::Value& value, bool& out, ReadContext& context);
bool ReadInto(const json::Value& value, int32_t& out, ReadContext& context);
bool ReadInto(const json::Value& value, int64_t& out, ReadContext& context);
bool ReadInto(const json::Value& value, double& out, ReadContext& context);
bool ReadInto(const json::Value& value, std::string& out, ReadContext& context);
bool ReadInto(const json::Value& value, base::Quantity& out, ReadContext& context);
bool ReadInto(const json::Value& value, json::Value& out, ReadContext& context);

template <typename T>
bool ReadInto(const json::Value& value, std::optional<T>& out, ReadContext& context);
template <typename T>
bool ReadInto(const json::Value& value, std::vector<T>& out, ReadContext& context);
template <typename T>
bool ReadInto(const json::Value& value, std::map<std::string, T>& out, ReadContext& context);

template <SelfWriting T>
bool ReadInto(const json::Value& value, T& out, ReadContext& context) {
  auto read = T::FromJson(value);
  if (!read) return context.Fail(read.error().message());
  out = *std::move(read);
  return true;
}

template <DescribedEnum T>
bool ReadInto(const json::Value& value, T& out, ReadContext& context) {
  bool found = false;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto enumerator) {
    if (!value.IsString() || value.AsString() != KeyOf(enumerator.name)) return;
    out = enumerator.value;
    found = true;
  });
  return found || context.Unsupported(value);
}

template <DescribedStruct T>
bool ReadInto(const json::Value& value, T& out, ReadContext& context) {
  if (!value.IsObject()) return context.WrongType(value, "object");
  bool good = true;
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
    const json::Value* found = good ? value.Find(KeyOf(member.name)) : nullptr;
    if (found == nullptr || found->IsNull()) return;
    good = ReadInto(*found, out.*member.pointer, context);
    if (!good) context.Prefix(KeyOf(member.name));
  });
  return good;
}

template <typename T>
bool ReadInto(const json::Value& value, std::optional<T>& out, ReadContext& context) {
  if (value.IsNull()) return out.reset(), true;
  return ReadInto(value, out.emplace(), context);
}

template <typename T>
bool ReadInto(const json::Value& value, std::vector<T>& out, ReadContext& context) {
  if (!value.IsArray()) return context.WrongType(value, "array");
  out.clear();
  out.reserve(value.size());
  for (size_t i = 0; i < value.size(); ++i) {
    T item{};
    if (!value.At(i).IsNull() && !ReadInto(value.At(i), item, context)) {
      return context.PrefixIndex(i);
    }
    out.push_back(std::move(item));
  }
  return true;
}

template <typename T>
bool ReadInto(const json::Value& value, std::map<std::string, T>& out, ReadContext& context) {
  if (!value.IsObject()) return context.WrongType(value, "object");
  out.clear();
  for (const json::Member& member : value.Members()) {
    T& item = out[std::string(member.name())];
    if (member.value.IsNull()) continue;
    if (!ReadInto(member.value, item, context)) return context.Prefix(member.name());
  }
  return true;
}

inline json::Value ToValue(bool v) { return v; }
inline json::Value ToValue(int32_t v) { return v; }
inline json::Value ToValue(int64_t v) { return v; }
inline json::Value ToValue(double v) { return v; }
inline json::Value ToValue(const std::string& v) { return v; }
inline json::Value ToValue(const base::Quantity& v) { return v.ToString(); }
inline json::Value ToValue(const json::Value& v) { return v; }

template <typename T>
json::Value ToValue(const std::optional<T>& v);
template <typename T>
json::Value ToValue(const std::vector<T>& v);
template <typename T>
json::Value ToValue(const std::map<std::string, T>& v);

template <SelfWriting T>
json::Value ToValue(const T& v) {
  return v.ToJson();
}

template <DescribedEnum T>
json::Value ToValue(T v) {
  std::string_view name;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<T>>([&](auto enumerator) {
    if (enumerator.value == v) name = KeyOf(enumerator.name);
  });
  return name;
}

// What omitempty leaves out. Structs are always written.
template <typename T>
bool IsEmpty(const T&) {
  return false;
}
inline bool IsEmpty(bool v) { return !v; }
inline bool IsEmpty(int32_t v) { return v == 0; }
inline bool IsEmpty(int64_t v) { return v == 0; }
inline bool IsEmpty(double v) { return v == 0; }
inline bool IsEmpty(const std::string& v) { return v.empty(); }
inline bool IsEmpty(const json::Value& v) { return v.IsNull(); }
template <typename T>
bool IsEmpty(const std::optional<T>& v) {
  return !v.has_value();
}
template <typename T>
bool IsEmpty(const std::vector<T>& v) {
  return v.empty();
}
template <typename T>
bool IsEmpty(const std::map<std::string, T>& v) {
  return v.empty();
}

template <DescribedStruct T>
json::Value ToValue(const T& v) {
  static const T kInitial{};
  std::vector<json::Member> members;
  boost::mp11::mp_for_each<MembersOf<T>>([&](auto member) {
    const auto& field = v.*member.pointer;
    const std::string_view key = KeyOf(member.name);
    if (IsEmpty(field) && IsEmpty(kInitial.*member.pointer) && !IsAlwaysWritten(&v, key)) return;
    members.push_back({key, ToValue(field)});
  });
  return json::Value::Object(std::move(members));
}

template <typename T>
json::Value ToValue(const std::optional<T>& v) {
  return v ? ToValue(*v) : json::Value();
}

template <typename T>
json::Value ToValue(const std::vector<T>& v) {
  std::vector<json::Value> items;
  items.reserve(v.size());
  for (const auto& item : v) items.push_back(ToValue(item));
  return json::Value::Array(std::move(items));
}

template <typename T>
json::Value ToValue(const std::map<std::string, T>& v) {
  std::vector<json::Member> members;
  members.reserve(v.size());
  for (const auto& [key, item] : v) members.push_back({key, ToValue(item)});
  return json::Value::Object(std::move(members));
}

}  // namespace typed

template <typename T>
base::Result<T> Read(const json::Value& value, std::string_view path) {
  typed::ReadContext context;
  T out{};
  if (value.IsNull() || typed::ReadInto(value, out, context)) return out;
  return context.TakeError(path);
}

template <typename T>
json::Value Write(const T& value) {
  return typed::ToValue(value);
}

}  // namespace coppice::api
