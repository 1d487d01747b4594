#include "api/schema/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/check.h"
#include "json/parse.h"

namespace coppice::api {
namespace {

constexpr std::string_view kTables[] = {
#include "api/schema/tables/admissionregistration_v1.inc"
    ,
#include "api/schema/tables/apiextensions_v1.inc"
    ,
#include "api/schema/tables/apps_v1.inc"
    ,
#include "api/schema/tables/authentication_v1.inc"
    ,
#include "api/schema/tables/authorization_v1.inc"
    ,
#include "api/schema/tables/autoscaling_v1.inc"
    ,
#include "api/schema/tables/autoscaling_v2.inc"
    ,
#include "api/schema/tables/batch_v1.inc"
    ,
#include "api/schema/tables/coordination_v1.inc"
    ,
#include "api/schema/tables/core_v1.inc"
    ,
#include "api/schema/tables/discovery_v1.inc"
    ,
#include "api/schema/tables/events_v1.inc"
    ,
#include "api/schema/tables/meta_v1.inc"
    ,
#include "api/schema/tables/networking_v1.inc"
    ,
#include "api/schema/tables/node_v1.inc"
    ,
#include "api/schema/tables/policy_v1.inc"
    ,
#include "api/schema/tables/rbac_v1.inc"
    ,
#include "api/schema/tables/resource_v1.inc"
    ,
#include "api/schema/tables/scheduling_v1.inc"
    ,
#include "api/schema/tables/scheduling_v1alpha1.inc"
    ,
#include "api/schema/tables/scheduling_v1alpha2.inc"
    ,
#include "api/schema/tables/scheduling_v1alpha3.inc"
    ,
#include "api/schema/tables/scheduling_v1beta1.inc"
    ,
#include "api/schema/tables/storage_v1.inc"
};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// "1.36" is 36.
int MinorOf(std::string_view version) { return (version[2] - '0') * 10 + (version[3] - '0'); }

struct Scalar {
  std::string_view name;
  SchemaType type;
  std::string_view format;
};

constexpr Scalar kScalars[] = {
    {"string", SchemaType::kString, ""},        {"bool", SchemaType::kBoolean, ""},
    {"int32", SchemaType::kInteger, "int32"},   {"int64", SchemaType::kInteger, "int64"},
    {"number", SchemaType::kNumber, "double"},  {"bytes", SchemaType::kString, "byte"},
    {"time", SchemaType::kString, "date-time"}, {"microtime", SchemaType::kString, "micro-time"},
    {"quantity", SchemaType::kAny, "quantity"}, {"intorstring", SchemaType::kAny, "int-or-string"},
    {"object", SchemaType::kObject, ""},        {"any", SchemaType::kAny, ""},
};

void ApplyListMark(std::string_view mark, Schema& schema) {
  if (mark == "set") schema.list_type = ListType::kSet;
  if (!mark.starts_with("map:")) return;
  schema.list_type = ListType::kMap;
  for (const std::string_view key : Split(mark.substr(4), ',')) schema.list_keys.emplace_back(key);
}

void ApplyMark(std::string_view mark, Schema& schema) {
  if (mark == "atomic") {
    (schema.type == SchemaType::kObject ? schema.atomic_object : schema.atomic_list) = true;
  }
  if (mark == "embeds-atomic") schema.embeds_atomic = true;
  if (mark == "nullable") schema.nullable = true;
  if (mark == "patch:replace") schema.replaced = true;
  if (mark == "patch:retainKeys") schema.retains_keys = true;
  if (mark == "merge" || mark.starts_with("merge:")) {
    schema.merges = true;
    schema.merge_key = mark.substr(std::min<size_t>(6, mark.size()));
  }
  if (mark.starts_with("default=")) {
    schema.default_value = *json::Parse(mark.substr(8));
    schema.has_default = true;
  }
  ApplyListMark(mark, schema);
}

bool SortsBefore(const Property& a, const Property& b) { return a.name < b.name; }

}  // namespace

void TableReader::ReadAll() {
  for (const std::string_view table : kTables) ReadTable(table);
  Finish();
}

void TableReader::ReadTable(std::string_view text) {
  for (const std::string_view line : Split(text, '\n')) {
    const auto words = Split(line, ' ');
    if (line.starts_with("group ")) {
      group_ = words[1];
    } else if (line[0] != ' ') {
      ReadHeader(words);
    } else if (current_ != nullptr && Served(words)) {
      ReadField(words);
    }
  }
}

bool TableReader::Served(const std::vector<std::string_view>& words) const {
  return std::ranges::all_of(words, [&](std::string_view word) {
    if (word.starts_with("since=")) return minor_ >= MinorOf(word.substr(6));
    if (word.starts_with("until=")) return minor_ <= MinorOf(word.substr(6));
    return true;
  });
}

void TableReader::ReadHeader(const std::vector<std::string_view>& words) {
  current_ = nullptr;
  if (!Served(words)) return;
  current_ = &TypeNamed(group_, words[1]);
  current_->type = SchemaType::kObject;
  for (const std::string_view mark : words) ApplyMark(mark, *current_);
  out_.types_[current_->name] = current_;
  if (words[0] == "kind") {
    out_.kinds_.push_back({ApiVersionOfTable(group_), std::string(words[1]), current_});
  }
}

void TableReader::ReadField(const std::vector<std::string_view>& words) {
  Property property{std::string(words[0]), nullptr};
  const bool required = property.name.ends_with('!');
  if (required) {
    property.name.pop_back();
    current_->required.push_back(property.name);
  }
  property.always_written = required;
  std::vector<std::string_view> marks;
  for (const std::string_view word : std::span(words).subspan(2)) {
    if (word == "always" || word == "omitempty") {
      property.always_written = word == "always";
    } else if (word == "omitzero") {
      property.omits_zero = true;
    } else if (!word.starts_with("since=") && !word.starts_with("until=")) {
      marks.push_back(word);
    }
  }
  property.pointer = words[1].starts_with('*');
  property.schema = FieldType(words[1].substr(property.pointer ? 1 : 0), marks);
  current_->properties.push_back(std::move(property));
}

Schema& TableReader::TypeNamed(std::string_view group, std::string_view name) {
  const std::string full = fmt::format("{} {}", group, name);
  Schema*& slot = types_[full];
  if (slot == nullptr) {
    slot = &out_.arena_.New();
    slot->name = full;
  }
  return *slot;
}

const Schema* TableReader::FieldType(std::string_view type,
                                     const std::vector<std::string_view>& marks) {
  if (type.starts_with("[]") || type.starts_with("{}")) {
    Schema& schema = out_.arena_.New();
    const bool list = type[0] == '[';
    schema.type = list ? SchemaType::kArray : SchemaType::kObject;
    (list ? schema.items : schema.additional) = FieldType(type.substr(2), {});
    for (const std::string_view mark : marks) ApplyMark(mark, schema);
    return &schema;
  }
  const Schema* shared = ScalarOrStruct(type);
  if (marks.empty()) return shared;
  Schema& copy = out_.arena_.New();
  copies_.push_back({&copy, shared, marks});
  return &copy;
}

const Schema* TableReader::ScalarOrStruct(std::string_view type) {
  const auto* scalar = std::ranges::find(kScalars, type, &Scalar::name);
  if (scalar == std::end(kScalars)) {
    const size_t dot = type.find('.');
    return dot == std::string_view::npos ? &TypeNamed(group_, type)
                                         : &TypeNamed(type.substr(0, dot), type.substr(dot + 1));
  }
  Schema*& slot = types_[std::string(type)];
  if (slot != nullptr) return slot;
  slot = &out_.arena_.New();
  slot->type = scalar->type;
  slot->format = scalar->format;
  slot->int_or_string = scalar->format == "int-or-string";
  slot->preserve_unknown = type == "object" || type == "any";
  return slot;
}

void TableReader::Finish() {
  for (auto& [name, schema] : types_) {
    // Every type that a field names must have been described.
    COPPICE_CHECK(schema->type == SchemaType::kObject || schema->name.empty());
    std::sort(schema->properties.begin(), schema->properties.end(), SortsBefore);
  }
  for (const Copy& copy : copies_) {
    *copy.target = *copy.source;
    for (const std::string_view mark : copy.marks) ApplyMark(mark, *copy.target);
  }
}

}  // namespace coppice::api
