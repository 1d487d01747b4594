#include "server/discovery/openapi.h"

#include <fmt/format.h>

#include <map>

#include "api/schema/builtin.h"
#include "api/schema/publish.h"
#include "http/crypto/crypto.h"
#include "json/write.h"
#include "kube/object.h"
#include "server/crd/crd_serving.h"
#include "server/discovery/openapi_protobuf.h"
#include "server/kinds/builtin.h"

namespace coppice::server {
namespace {

// "api/v1" or "apis/apps/v1": where a group version lives, by its apiVersion.
std::map<std::string, std::string> GroupVersions(const Registry& registry) {
  std::map<std::string, std::string> versions;
  for (const ServedPtr& served : registry.all()) {
    const std::string api_version = served->resource.ApiVersion();
    versions[api_version] = (served->resource.group.empty() ? "api/" : "apis/") + api_version;
  }
  return versions;
}

json::Value Gvk(const api::Resource& resource) {
  return json::Value::Object(
      {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}});
}

std::string SchemaName(const ServedResource& served) {
  if (!served.custom && served.schema) return api::OpenApiName(served.schema->name);
  // "example.com/v1 Thing" is "com.example.v1.Thing".
  std::string reversed;
  std::string group = served.resource.group;
  while (!group.empty()) {
    const size_t dot = group.rfind('.');
    reversed += group.substr(dot == std::string::npos ? 0 : dot + 1) + ".";
    group.erase(dot == std::string::npos ? 0 : dot);
  }
  return reversed + served.resource.version + "." + served.resource.kind;
}

json::Value Parameter(const char* name, const char* type) {
  return json::Value::Object(
      {{"name", name},
       {"in", "query"},
       {"schema", json::Value::Object({{"type", type}, {"uniqueItems", true}})}});
}

json::Value Reference(const std::string& name) {
  return json::Value::Object({{"$ref", "#/components/schemas/" + name}});
}

json::Value Content(const char* type, const std::string& schema) {
  json::Value content = json::Value::Object();
  content.Mutable(type).Set("schema", Reference(schema));
  return json::Value::Object({{"content", std::move(content)}});
}

json::Value DescribeOperation(const ServedResource& served, const char* action) {
  json::Value operation = json::Value::Object(
      {{"x-kubernetes-action", action}, {"x-kubernetes-group-version-kind", Gvk(served.resource)}});
  json::Value response = Content("application/json", SchemaName(served));
  response.Set("description", "OK");
  operation.Mutable("responses").Set("200", std::move(response));
  const std::string_view verb = action;
  if (verb != "post" && verb != "put" && verb != "patch") return operation;
  json::Value parameters =
      json::Value::Array({Parameter("dryRun", "string"), Parameter("fieldManager", "string"),
                          Parameter("fieldValidation", "string")});
  if (verb == "patch") parameters.Append(Parameter("force", "boolean"));
  operation.Set("parameters", std::move(parameters));
  operation.Set("requestBody",
                Content(verb == "patch" ? "application/apply-patch+yaml" : "application/json",
                        SchemaName(served)));
  return operation;
}

void AddPaths(const ServedResource& served, const std::string& root, json::Value& paths) {
  const std::string scope = served.resource.namespaced ? "/namespaces/{namespace}" : "";
  const std::string collection = "/" + root + scope + "/" + served.resource.plural;
  json::Value& many = paths.Mutable(collection);
  if (HasVerb(served.verbs, "list")) many.Set("get", DescribeOperation(served, "list"));
  if (HasVerb(served.verbs, "create")) many.Set("post", DescribeOperation(served, "post"));
  if (HasVerb(served.verbs, "deletecollection"))
    many.Set("delete", DescribeOperation(served, "deletecollection"));
  if (!HasVerb(served.verbs, "get")) return;
  json::Value& one = paths.Mutable(collection + "/{name}");
  for (const char* verb : {"get", "put", "patch", "delete"}) {
    one.Set(verb, DescribeOperation(served, verb));
  }
}

// The schema of a custom resource as published: with the fields that every object has.
json::Value CustomSchema(Core& core, const ServedResource& served) {
  const store::VersionPtr crd = core.store().Get(kCrdStorage, served.crd_name);
  json::Value schema = json::Value::Object({{"type", "object"}});
  if (crd) {
    for (const json::Value& version : crd->value()["spec"]["versions"].Items()) {
      if (version["name"].AsString() == served.resource.version) {
        schema = version["schema"]["openAPIV3Schema"];
      }
    }
  }
  json::Value& properties = schema.Mutable("properties");
  properties.Set("apiVersion", json::Value::Object({{"type", "string"}}));
  properties.Set("kind", json::Value::Object({{"type", "string"}}));
  properties.Set(
      "metadata",
      json::Value::Object({{"allOf", json::Value::Array({Reference(
                                         "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")})}}));
  schema.Set("x-kubernetes-group-version-kind", json::Value::Array({Gvk(served.resource)}));
  return schema;
}

json::Value ListSchema(const ServedResource& served) {
  api::Resource list = served.resource;
  list.kind = served.list_kind;
  json::Value items =
      json::Value::Object({{"type", "array"}, {"items", Reference(SchemaName(served))}});
  json::Value properties =
      json::Value::Object({{"apiVersion", json::Value::Object({{"type", "string"}})},
                           {"kind", json::Value::Object({{"type", "string"}})},
                           {"metadata", Reference("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta")},
                           {"items", std::move(items)}});
  return json::Value::Object(
      {{"type", "object"},
       {"required", json::Value::Array({"items"})},
       {"properties", std::move(properties)},
       {"x-kubernetes-group-version-kind", json::Value::Array({Gvk(list)})}});
}

json::Value Document(Core& core, const std::string& api_version, const std::string& root) {
  const api::BuiltinTypes& types = api::BuiltinTypes::For(MinorRelease(core.kubernetes_version()));
  json::Value schemas = api::OpenApiComponents(types, api_version);
  if (!schemas.IsObject()) schemas = json::Value::Object();
  json::Value paths = json::Value::Object();
  bool has_meta = false;
  for (const ServedPtr& served : core.registry()->all()) {
    if (served->resource.ApiVersion() != api_version) continue;
    AddPaths(*served, root, paths);
    if (!served->custom) continue;
    if (!has_meta) {
      const json::Value core_schemas = api::OpenApiComponents(types, "v1");
      for (const json::Member& member : core_schemas.Members()) {
        if (member.name().find("apimachinery") != std::string_view::npos) {
          schemas.SetDefault(member.name(), member.value);
        }
      }
      has_meta = true;
    }
    schemas.Set(SchemaName(*served), CustomSchema(core, *served));
    schemas.Set(SchemaName(*served) + "List", ListSchema(*served));
  }
  return json::Value::Object(
      {{"openapi", "3.0.0"},
       {"info",
        json::Value::Object({{"title", "Kubernetes"},
                             {"version", fmt::format("v{}.0", core.kubernetes_version())}})},
       {"paths", std::move(paths)},
       {"components", json::Value::Object({{"schemas", std::move(schemas)}})}});
}

json::Value Index(Core& core) {
  json::Value paths = json::Value::Object();
  const std::string revision = std::to_string(core.store().Count(kCrdStorage));
  for (const auto& [api_version, root] : GroupVersions(*core.registry())) {
    const std::string hash =
        http::Sha256Hex(root + core.kubernetes_version() + revision).substr(0, 32);
    paths.Mutable(root).Set("serverRelativeURL", fmt::format("/openapi/v3/{}?hash={}", root, hash));
  }
  return json::Value::Object({{"paths", std::move(paths)}});
}

// The definitions of custom resources too, so that explain and validation know them.
json::Value SwaggerDefinitions(Core& core) {
  json::Value definitions =
      api::OpenApiDefinitions(api::BuiltinTypes::For(MinorRelease(core.kubernetes_version())));
  for (const ServedPtr& served : core.registry()->all()) {
    if (!served->custom) continue;
    json::Value schema = CustomSchema(core, *served);
    schema.Mutable("properties")
        .Set("metadata",
             json::Value::Object(
                 {{"$ref", "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}));
    definitions.Set(SchemaName(*served), std::move(schema));
  }
  return definitions;
}

json::Value SwaggerPaths(Core& core) {
  json::Value paths = json::Value::Object();
  const auto roots = GroupVersions(*core.registry());
  for (const ServedPtr& served : core.registry()->all()) {
    AddPaths(*served, roots.at(served->resource.ApiVersion()), paths);
  }
  return paths;
}

void ServeSwagger(Core& core, const Call& call) {
  const json::Value document = json::Value::Object(
      {{"swagger", "2.0"},
       {"info", json::Value::Object({{"title", "Kubernetes"},
                                     {"version", "v" + core.kubernetes_version() + ".0"}})},
       {"paths", SwaggerPaths(core)},
       {"definitions", SwaggerDefinitions(core)}});
  const std::string accept = call.http.headers.Joined("accept");
  if (accept.find("proto-openapi.spec.v2") == std::string::npos) {
    return SendValue(call, 200, document);
  }
  call.writer->Send(
      http::Response::Make(200, "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
                           EncodeOpenApiV2(document)));
}

}  // namespace

void ServeOpenApi(Core& core, const Call& call) {
  const std::string& path = call.info.path;
  if (path == "/openapi/v3" || path == "/openapi/v3/") return SendValue(call, 200, Index(core));
  if (path == "/openapi/v2") return ServeSwagger(core, call);
  constexpr std::string_view kPrefix = "/openapi/v3/";
  for (const auto& [api_version, root] : GroupVersions(*core.registry())) {
    if (path == std::string(kPrefix) + root)
      return SendValue(call, 200, Document(core, api_version, root));
  }
  SendText(call, 404, "404 page not found\n");
}

json::Value RootPaths(Core& core) {
  std::vector<std::string> paths = {"/api",        "/apis",       "/healthz", "/livez",  "/metrics",
                                    "/openapi/v2", "/openapi/v3", "/readyz",  "/version"};
  for (const auto& [api_version, root] : GroupVersions(*core.registry()))
    paths.push_back("/" + root);
  std::sort(paths.begin(), paths.end());
  json::Value list = json::Value::Array();
  for (const std::string& path : paths) list.Append(path);
  return json::Value::Object({{"paths", std::move(list)}});
}

}  // namespace coppice::server
