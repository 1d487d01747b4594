#include "api/typed/crd.h"

#include <fmt/format.h>

#include <algorithm>

namespace coppice::api {
namespace {

json::Value TextList(std::initializer_list<std::string_view> texts) {
  json::Value out = json::Value::Array();
  for (const std::string_view text : texts) out.Append(text);
  return out;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

json::Value ColumnJson(const PrinterColumn& column) {
  json::Value out = json::Value::Object(
      {{"name", column.name}, {"type", column.type}, {"jsonPath", column.path}});
  if (column.priority != 0) out.Set("priority", column.priority);
  if (!column.about.empty()) out.Set("description", column.about);
  if (!column.format.empty()) out.Set("format", column.format);
  return out;
}

json::Value SubresourcesJson(const CrdVersion& version) {
  json::Value out = json::Value::Object();
  if (version.status_subresource) out.Set("status", json::Value::Object());
  if (!version.scale) return out;
  json::Value scale = json::Value::Object({{"specReplicasPath", version.scale->spec_replicas},
                                           {"statusReplicasPath", version.scale->status_replicas}});
  if (!version.scale->label_selector.empty()) {
    scale.Set("labelSelectorPath", version.scale->label_selector);
  }
  return out.Set("scale", std::move(scale));
}

void ApplyParts(const std::vector<SchemaPart>& parts, json::Value* schema) {
  if (schema == nullptr) return;
  for (const SchemaPart& part : parts) ApplyPart(part, *schema);
}

json::Value RootSchema(const CrdVersion& version, json::Value properties) {
  ApplyParts(version.spec, properties.FindMutable("spec"));
  ApplyParts(version.status, properties.FindMutable("status"));
  properties.Set("apiVersion", typed::ScalarSchema("string"));
  properties.Set("kind", typed::ScalarSchema("string"));
  properties.Set("metadata", typed::ScalarSchema("object"));
  json::Value schema = typed::ScalarSchema("object");
  schema.Set("properties", std::move(properties));
  if (!version.about.empty()) schema.Set("description", version.about);
  ApplyParts(version.root, &schema);
  return schema;
}

}  // namespace

Crd::Crd(const Resource& resource) {
  crd_.Set("apiVersion", "apiextensions.k8s.io/v1");
  crd_.Set("kind", "CustomResourceDefinition");
  crd_.Mutable("metadata").Set("name", fmt::format("{}.{}", resource.plural, resource.group));
  json::Value& spec = crd_.Mutable("spec");
  spec.Set("group", resource.group);
  spec.Set("scope", resource.namespaced ? "Namespaced" : "Cluster");
  spec.Set("versions", json::Value::Array());
  spec.Set("names", json::Value::Object({{"kind", resource.kind},
                                         {"listKind", resource.kind + "List"},
                                         {"plural", resource.plural},
                                         {"singular", Lower(resource.kind)}}));
}

Crd& Crd::ShortNames(std::initializer_list<std::string_view> names) {
  crd_.Mutable("spec").Mutable("names").Set("shortNames", TextList(names));
  return *this;
}

Crd& Crd::Label(std::string_view key, std::string_view value) {
  crd_.Mutable("metadata").Mutable("labels").Set(key, value);
  return *this;
}

Crd& Crd::Annotation(std::string_view key, std::string_view value) {
  crd_.Mutable("metadata").Mutable("annotations").Set(key, value);
  return *this;
}

Crd& Crd::AddVersion(std::string_view name, const CrdVersion& version, json::Value properties) {
  json::Value out = json::Value::Object(
      {{"name", name}, {"served", version.served}, {"storage", version.storage}});
  out.Mutable("schema").Set("openAPIV3Schema", RootSchema(version, std::move(properties)));
  json::Value subresources = SubresourcesJson(version);
  if (!subresources.empty()) out.Set("subresources", std::move(subresources));
  json::Value columns = json::Value::Array();
  for (const PrinterColumn& column : version.columns) columns.Append(ColumnJson(column));
  if (!columns.empty()) out.Set("additionalPrinterColumns", std::move(columns));
  if (!version.deprecation_warning.empty()) {
    out.Set("deprecated", true);
    out.Set("deprecationWarning", version.deprecation_warning);
  }
  crd_.Mutable("spec").Mutable("versions").Append(std::move(out));
  return *this;
}

}  // namespace coppice::api
