#include "api/typed/notes.h"

#include <algorithm>

#include "api/schema/builtin.h"
#include "base/check.h"

namespace coppice::api {
namespace {

constexpr std::string_view kRules = "x-kubernetes-validations";
constexpr std::string_view kExternal = "$external";

json::Value TextList(std::initializer_list<std::string_view> texts) {
  json::Value out = json::Value::Array();
  for (const std::string_view text : texts) out.Append(text);
  return out;
}

json::Value Collected(SchemaParts parts) {
  json::Value out = json::Value::Object();
  for (const SchemaPart& part : parts) ApplyPart(part, out);
  return out;
}

void AppendMissing(const json::Value& items, json::Value& list) {
  for (const json::Value& item : items.Items()) {
    if (std::ranges::find(list.Items(), item) == list.Items().end()) list.Append(item);
  }
}

void SortTexts(json::Value& list) {
  auto& items = list.MutableItems();
  std::sort(items.begin(), items.end(),
            [](const json::Value& a, const json::Value& b) { return a.AsString() < b.AsString(); });
}

json::Value MakeRule(std::string_view expression, std::string_view message,
                     std::initializer_list<std::pair<std::string_view, json::Value>> more) {
  json::Value rule = json::Value::Object({{"rule", expression}});
  if (!message.empty()) rule.Set("message", message);
  for (const auto& [key, value] : more) rule.Set(key, value);
  return rule;
}

}  // namespace

SchemaPart Enum(std::initializer_list<std::string_view> values) {
  return {"enum", TextList(values)};
}

SchemaPart MapList(std::initializer_list<std::string_view> keys) {
  return {"", json::Value::Object({{"x-kubernetes-list-type", "map"},
                                   {"x-kubernetes-list-map-keys", TextList(keys)}})};
}

SchemaPart Rule(std::string_view expression, std::string_view message,
                std::initializer_list<std::pair<std::string_view, json::Value>> more) {
  return {std::string(kRules), json::Value::Array({MakeRule(expression, message, more)})};
}

SchemaPart Items(SchemaParts parts) { return {"items", Collected(parts)}; }

SchemaPart Values(SchemaParts parts) { return {"additionalProperties", Collected(parts)}; }

SchemaPart Member(std::string_view name, SchemaParts parts) {
  return {"properties", json::Value::Object({{name, Collected(parts)}})};
}

SchemaPart AlsoRequired(std::initializer_list<std::string_view> names) {
  return {"required", TextList(names)};
}

SchemaPart External(std::string_view type) { return {std::string(kExternal), type}; }

void ApplyPart(const SchemaPart& part, json::Value& schema) {
  if (part.key == kExternal) {
    const json::Value external = BuiltinSchema(part.value.AsString());
    COPPICE_CHECK(external.IsObject());
    for (const json::Member& member : external.Members()) schema.Set(member.name(), member.value);
    return;
  }
  if (part.key.empty()) {
    for (const json::Member& member : part.value.Members()) {
      ApplyPart({std::string(member.name()), member.value}, schema);
    }
    return;
  }
  json::Value& place = schema.Mutable(part.key);
  if (part.key == kRules || part.key == "required") {
    AppendMissing(part.value, place);
    if (part.key == "required") SortTexts(place);
  } else if (part.value.IsObject() && place.IsObject() && part.key != "default") {
    for (const json::Member& member : part.value.Members()) {
      ApplyPart({std::string(member.name()), member.value}, place);
    }
  } else {
    place = part.value;
  }
}

StructNotes& StructNotes::Required(std::initializer_list<std::string_view> names) {
  required_.assign(names.begin(), names.end());
  return *this;
}

StructNotes& StructNotes::Field(std::string_view name, std::string_view about, SchemaParts parts) {
  fields_.push_back({std::string(name), std::string(about), parts});
  return *this;
}

StructNotes& StructNotes::Rule(
    std::string_view expression, std::string_view message,
    std::initializer_list<std::pair<std::string_view, json::Value>> more) {
  return With(api::Rule(expression, message, more));
}

StructNotes& StructNotes::With(SchemaPart part) {
  parts_.push_back(std::move(part));
  return *this;
}

void StructNotes::ApplyTo(json::Value& schema) const {
  if (!about_.empty()) schema.Set("description", about_);
  for (const SchemaPart& part : parts_) ApplyPart(part, schema);
  for (const std::string& name : required_) {
    ApplyPart({"required", json::Value::Array({name})}, schema);
  }
  json::Value* properties = schema.FindMutable("properties");
  for (const FieldNote& note : fields_) {
    // A note on a field that the struct does not have is a mistake of ours.
    json::Value* field = properties == nullptr ? nullptr : properties->FindMutable(note.name);
    COPPICE_CHECK(field != nullptr);
    for (const SchemaPart& part : note.parts) ApplyPart(part, *field);
    if (!note.about.empty()) field->Set("description", note.about);
  }
}

}  // namespace coppice::api
