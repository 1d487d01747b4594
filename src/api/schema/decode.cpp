#include "api/schema/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "api/schema/errors/field_error.h"
#include "api/schema/errors/field_path.h"
#include "base/clock.h"
#include "base/quantity.h"
#include "json/write.h"

namespace coppice::api {
namespace {

// "core/v1 PodSpec" is "v1.PodSpec".
std::string GoStruct(std::string_view name) {
  const size_t slash = name.find('/');
  std::string out(name.substr(slash + 1));
  std::ranges::replace(out, ' ', '.');
  return out;
}

std::string GoType(const Schema& schema) {
  if (!schema.name.empty()) return GoStruct(schema.name);
  if (schema.format == "int-or-string") return "int32";
  switch (schema.type) {
    case SchemaType::kArray:
      return "[]" + GoType(*schema.items);
    case SchemaType::kObject:
      return schema.additional == nullptr ? "object" : "map[string]" + GoType(*schema.additional);
    case SchemaType::kString:
      return schema.format == "byte" ? "[]uint8" : "string";
    case SchemaType::kInteger:
      return schema.format;
    case SchemaType::kNumber:
      return "float64";
    case SchemaType::kBoolean:
      return "bool";
    case SchemaType::kAny:
      break;
  }
  return "interface {}";
}

std::string_view GoJsonType(const json::Value& value) {
  if (value.IsNumber()) return "number";
  if (value.IsString()) return "string";
  if (value.IsBool()) return "bool";
  return value.IsArray() ? "array" : "object";
}

// As it was most likely given: whole numbers beyond 64 bits without an exponent.
std::string NumberText(const json::Value& value) {
  const double number = value.AsDouble();
  const bool is_whole = !value.IsInt() && std::abs(number) < 1e21 && std::floor(number) == number;
  return is_whole ? fmt::format("{:.0f}", number) : json::Write(value);
}

// The first byte that base64 does not allow.
std::optional<size_t> BadBase64(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const size_t body = text.find_last_not_of('=') + 1;
  const size_t bad = text.substr(0, body).find_first_not_of(kDigits);
  if (bad != std::string_view::npos) return bad;
  if (text.size() % 4 != 0 || text.size() - body > 2) return text.size();
  return std::nullopt;
}

// Structs in Go although they are written as one value.
bool IsNeverEmpty(const Schema& schema) {
  return schema.int_or_string || schema.format == "quantity";
}

bool IsZero(const json::Value& value) {
  if (value.IsNumber()) return value.AsDouble() == 0;
  if (value.IsBool()) return !value.AsBool();
  return value.IsString() && value.AsString().empty();
}

// Less, equal or greater than 0. Most names differ in their first letter already.
int Order(std::string_view a, std::string_view b) {
  if (!a.empty() && !b.empty() && a[0] != b[0]) {
    return static_cast<unsigned char>(a[0]) - static_cast<unsigned char>(b[0]);
  }
  return a.compare(b);
}

// Decodes a struct field by field, in the order of their names. If nothing changes, the result is
// the identical value, so objects from one template keep sharing its parts.
class DecodedStruct {
 public:
  explicit DecodedStruct(const json::Value& given) : given_(given) {}

  // The next of the given members, with the value that was read from it.
  void Put(const json::Member& member, json::Value value) {
    if (differs_ || &member != &given_.Members()[kept_] || !value.SameAs(member.value)) {
      return Put(member.key, std::move(value));
    }
    ++kept_;
  }
  void Put(json::Value key, json::Value value) {
    Differ();
    members_.push_back({std::move(key), std::move(value)});
  }
  json::Value Take() {
    if (!differs_ && kept_ == given_.size()) return given_;
    Differ();
    return json::Value::Object(std::move(members_));
  }

 private:
  void Differ() {
    if (differs_) return;
    differs_ = true;
    members_.reserve(given_.size() + 4);
    const auto kept = given_.Members().first(kept_);
    members_.insert(members_.end(), kept.begin(), kept.end());
  }

  const json::Value& given_;
  size_t kept_ = 0;  // This many of the given members come first.
  bool differs_ = false;
  std::vector<json::Member> members_;
};

class Decoder {
 public:
  explicit Decoder(std::vector<std::string>* unknown) : unknown_(unknown) {}

  struct Place {
    std::string_view holder;  // The struct that the field is in.
    const FieldPath& path;
  };

  base::Result<json::Value> Struct(const Schema& schema, const json::Value& value,
                                   const Place& place, const json::Value* known) {
    if (!value.IsObject()) return WrongType(schema, value, place);
    const size_t known_before = unknown_ == nullptr ? 0 : unknown_->size();
    const std::string_view holder = std::string_view(schema.name).substr(schema.name.find(' ') + 1);
    std::vector<std::string> strange;
    DecodedStruct out(value);
    // Both are in order of their names.
    auto member = value.Members().begin();
    const auto end = value.Members().end();
    for (const Property& property : schema.properties) {
      int order = 1;
      while (member != end && (order = Order(member->name(), property.name)) < 0) {
        strange.push_back(place.path.Child(member->name()).ToString());
        ++member;
      }
      const bool given = member != end && order == 0;
      COPPICE_TRY(Field(property, given ? &*member : nullptr, {holder, place.path}, known, out));
      if (given) ++member;
    }
    for (; member != end; ++member) {
      strange.push_back(place.path.Child(member->name()).ToString());
    }
    if (unknown_ != nullptr && !strange.empty()) {
      unknown_->insert(unknown_->begin() + static_cast<ptrdiff_t>(known_before), strange.begin(),
                       strange.end());
    }
    return out.Take();
  }

 private:
  static base::Error WrongType(const Schema& schema, const json::Value& value, const Place& place,
                               bool show_number = false) {
    const std::string number = show_number ? " " + NumberText(value) : std::string();
    if (place.holder.empty()) {
      return base::InvalidArgument(
          fmt::format("json: cannot unmarshal {}{} into Go value of type {}", GoJsonType(value),
                      number, GoType(schema)));
    }
    return base::InvalidArgument(
        fmt::format("json: cannot unmarshal {}{} into Go struct field {}.{} of type {}",
                    GoJsonType(value), number, place.holder, place.path.Names(), GoType(schema)));
  }

  // A field of the struct at `parent`, whose earlier state is `known_parent`. `given` is null when
  // the object has no such member.
  base::Status Field(const Property& property, const json::Member* given, const Place& parent,
                     const json::Value* known_parent, DecodedStruct& out) {
    const bool is_null = given == nullptr || given->value.IsNull();
    if (is_null && property.omits_zero) return {};
    const FieldPath path = parent.path.Child(property.name);
    const Place here{parent.holder, path};
    if (is_null) return Absent(property, here, out);
    const json::Value* known = known_parent ? known_parent->Find(property.name) : nullptr;
    if (known && given->value.SameAs(*known)) {
      out.Put(*given, given->value);
      return {};
    }
    COPPICE_ASSIGN(json::Value decoded, Any(*property.schema, given->value, here, known));
    if (IsLeftOut(property, decoded)) return {};
    out.Put(*given, std::move(decoded));
    return {};
  }

  static bool IsLeftOut(const Property& property, const json::Value& decoded) {
    const Schema& schema = *property.schema;
    if (property.always_written || property.pointer || IsNeverEmpty(schema)) return false;
    if (!schema.name.empty()) return property.omits_zero && decoded.empty();
    if (schema.type == SchemaType::kArray || schema.additional != nullptr) return decoded.empty();
    return IsZero(decoded);
  }

  // What Go writes for a field that was not given, unless it leaves out zeros.
  base::Status Absent(const Property& property, const Place& place, DecodedStruct& out) {
    const auto write = [&](json::Value value) {
      out.Put(json::Value(property.name), std::move(value));
    };
    if (property.pointer) {
      if (property.always_written) write(json::Value());
      return {};
    }
    const Schema& schema = *property.schema;
    if (!schema.name.empty()) {
      COPPICE_ASSIGN(json::Value empty, Struct(schema, json::Value::Object(), place, nullptr));
      write(std::move(empty));
      return {};
    }
    const bool is_time = schema.format == "date-time" || schema.format == "micro-time";
    if (is_time) write(json::Value());
    const bool is_written = property.always_written || IsNeverEmpty(schema);
    if (is_written && !is_time) write(ZeroOf(schema));
    return {};
  }

  static json::Value ZeroOf(const Schema& schema) {
    if (schema.format == "quantity") return "0";
    if (schema.format == "int-or-string") return 0;
    if (schema.format == "byte") return {};
    switch (schema.type) {
      case SchemaType::kString:
        return "";
      case SchemaType::kInteger:
      case SchemaType::kNumber:
        return 0;
      case SchemaType::kBoolean:
        return false;
      default:
        return {};
    }
  }

  base::Result<json::Value> Any(const Schema& schema, const json::Value& value, const Place& place,
                                const json::Value* known) {
    if (known && value.SameAs(*known)) return value;
    if (!schema.name.empty()) return Struct(schema, value, place, known);
    if (schema.preserve_unknown) return value;
    if (schema.format == "quantity") return QuantityValue(value);
    if (schema.format == "int-or-string") {
      return value.IsString() ? value : Integer(schema, value, place);
    }
    switch (schema.type) {
      case SchemaType::kArray:
        return List(schema, value, place, known);
      case SchemaType::kObject:
        return MapValue(schema, value, place, known);
      case SchemaType::kString:
        return Text(schema, value, place);
      case SchemaType::kInteger:
        return Integer(schema, value, place);
      case SchemaType::kNumber:
        if (!value.IsNumber()) return WrongType(schema, value, place);
        return value;
      case SchemaType::kBoolean:
        if (!value.IsBool()) return WrongType(schema, value, place);
        return value;
      case SchemaType::kAny:
        break;
    }
    return value;
  }

  static base::Result<json::Value> QuantityValue(const json::Value& value) {
    const std::string text = value.IsString() ? value.ToString() : json::Write(value);
    const auto quantity = base::Quantity::Parse(text);
    if (quantity) return json::Value(quantity->ToString());
    return base::InvalidArgument(
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  }

  static base::Result<json::Value> Text(const Schema& schema, const json::Value& value,
                                        const Place& place) {
    if (!value.IsString()) return WrongType(schema, value, place);
    if (schema.format == "byte") {
      if (const auto bad = BadBase64(value.AsString())) {
        return base::InvalidArgument(fmt::format("illegal base64 data at input byte {}", *bad));
      }
    }
    const bool is_time = schema.format == "date-time" || schema.format == "micro-time";
    if (is_time && !base::ParseRfc3339(value.AsString())) {
      return base::InvalidArgument(fmt::format(
          "parsing time {0} as \"{1}\": cannot parse {0} as \"2006\"", Quoted(value.AsString()),
          schema.format == "date-time" ? "2006-01-02T15:04:05Z07:00"
                                       : "2006-01-02T15:04:05.000000Z07:00"));
    }
    return value;
  }

  static base::Result<json::Value> Integer(const Schema& schema, const json::Value& value,
                                           const Place& place) {
    if (!value.IsNumber()) return WrongType(schema, value, place);
    const bool fits =
        schema.format == "int64" || (value.AsInt() >= INT32_MIN && value.AsInt() <= INT32_MAX);
    if (value.IsInt() && fits) return value;
    return WrongType(schema, value, place, true);
  }

  base::Result<json::Value> List(const Schema& schema, const json::Value& value, const Place& place,
                                 const json::Value* known) {
    if (!value.IsArray()) return WrongType(schema, value, place);
    json::Value out = value;
    for (size_t i = 0; i < value.size(); ++i) {
      const FieldPath path = place.path.Index(i);
      const Place here{place.holder, path};
      // A null item is a zero item.
      const json::Value& item = value.At(i);
      const bool empty_struct = item.IsNull() && !schema.items->name.empty();
      COPPICE_ASSIGN(json::Value decoded,
                     item.IsNull() && !empty_struct
                         ? base::Result<json::Value>(ZeroOf(*schema.items))
                         : Any(*schema.items, empty_struct ? json::Value::Object() : item, here,
                               known ? &known->At(i) : nullptr));
      if (!decoded.SameAs(item)) out.MutableAt(i) = std::move(decoded);
    }
    return out;
  }

  base::Result<json::Value> MapValue(const Schema& schema, const json::Value& value,
                                     const Place& place, const json::Value* known) {
    if (!value.IsObject()) return WrongType(schema, value, place);
    json::Value out = value;
    for (const json::Member& member : value.Members()) {
      const FieldPath path = place.path.Entry(member.name());
      const Place here{place.holder, path};
      COPPICE_ASSIGN(json::Value decoded,
                     member.value.IsNull() ? base::Result<json::Value>(ZeroOf(*schema.additional))
                                           : Any(*schema.additional, member.value, here,
                                                 known ? known->Find(member.name()) : nullptr));
      if (!decoded.SameAs(member.value)) out.Set(member.name(), std::move(decoded));
    }
    return out;
  }

  std::vector<std::string>* unknown_;
};

}  // namespace

base::Result<json::Value> DecodeBuiltin(const Schema& kind, const json::Value& object,
                                        std::vector<std::string>* unknown,
                                        const json::Value* known) {
  return Decoder(unknown).Struct(kind, object, {"", FieldPath()}, known);
}

}  // namespace coppice::api
