#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/resource.h"
#include "api/typed/schema_of.h"

// CustomResourceDefinitions from described structs.
//
//   // queue.h
//   struct QueueSpec {
//     std::string parentQueue;
//     std::optional<int32_t> priority;
//     std::vector<Condition> conditions;
//     json::Value podSpec;
//   };
//   BOOST_DESCRIBE_STRUCT(QueueSpec, (), (parentQueue, priority, conditions, podSpec))
//
//   // queue_crd.cpp, in the struct's namespace. Every described struct below may have its own.
//   StructNotes Notes(const QueueSpec*) {
//     return StructNotes("What the queue may use.")
//         .Required({"podSpec"})
//         .Field("priority", "Higher goes first.", {Default(100), Minimum(0)})
//         .Field("conditions", "", {MapList({"type"})})
//         .Field("podSpec", "Of every pod.", {External("core/v1 PodSpec")})
//         .Rule("!has(self.priority) || has(self.parentQueue)", "priority needs a parent");
//   }
//
//   json::Value QueueCrd() {
//     return Crd(kQueues)
//         .ShortNames({"q"})
//         .Version<QueueSpec, QueueStatus>("v2", {
//             .about = "A share of the cluster.",
//             .columns = {{.name = "Priority", .type = "integer", .path = ".spec.priority"}},
//             .root = {AlsoRequired({"spec"})},
//         })
//         .ToJson();
//   }
namespace coppice::api {

struct PrinterColumn {
  std::string name;
  std::string type;  // "string", "integer", "number", "boolean", "date".
  std::string path;  // ".spec.replicas".
  int priority = 0;  // Above 0: only in wide output.
  std::string about;
  std::string format;
};

struct ScalePaths {
  std::string spec_replicas = ".spec.replicas";
  std::string status_replicas = ".status.replicas";
  std::string label_selector;  // ".status.hpaPodSelector"; empty for none.
};

struct CrdVersion {
  std::string about;
  std::vector<PrinterColumn> columns;
  bool status_subresource = true;
  std::optional<ScalePaths> scale;
  bool served = true;
  bool storage = true;
  std::string deprecation_warning;
  // Notes on the whole object, on spec and on status.
  std::vector<SchemaPart> root;
  std::vector<SchemaPart> spec;
  std::vector<SchemaPart> status;
};

// Placeholder for a kind without spec or without status.
struct NoPart {};

class Crd {
 public:
  explicit Crd(const Resource& resource);

  Crd& ShortNames(std::initializer_list<std::string_view> names);
  Crd& Label(std::string_view key, std::string_view value);
  Crd& Annotation(std::string_view key, std::string_view value);

  template <typename Spec, typename Status = NoPart>
  Crd& Version(std::string_view name, const CrdVersion& version) {
    json::Value properties = json::Value::Object();
    if constexpr (!std::is_same_v<Spec, NoPart>) properties.Set("spec", SchemaOf<Spec>());
    if constexpr (!std::is_same_v<Status, NoPart>) properties.Set("status", SchemaOf<Status>());
    return AddVersion(name, version, std::move(properties));
  }

  // `properties`: the schemas of everything beside apiVersion, kind and metadata.
  Crd& AddVersion(std::string_view name, const CrdVersion& version, json::Value properties);

  json::Value ToJson() const { return crd_; }

 private:
  json::Value crd_;
};

}  // namespace coppice::api
