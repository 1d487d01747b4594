#include "server/model/object_meta.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/schema/errors/field_error.h"
#include "api/selectors/names.h"
#include "json/write.h"
#include "server/model/errors.h"

namespace coppice::server {
namespace {

constexpr size_t kMaxGeneratedNameLength = 63;
constexpr size_t kMaxAnnotationBytes = 256 << 10;

std::string Text(const json::Value& object) {
  std::string text = json::Write(object);
  if (text.size() > 256) text.resize(256);
  return text;
}

base::Status CheckKind(const Request& request, const json::Value& body) {
  const std::string_view kind = body["kind"].AsString();
  const std::string_view version = body["apiVersion"].AsString();
  const bool ours = kind == request.resource().kind && version == request.resource().ApiVersion();
  if (request.is_apply && !request.served->custom && !ours) {
    return BadRequest(fmt::format("invalid object type: {}{}, Kind={}",
                                  version.find('/') == std::string_view::npos ? "/" : "", version,
                                  kind));
  }
  if (kind.empty()) return BadRequest(fmt::format("Object 'Kind' is missing in '{}'", Text(body)));
  if (version.empty()) {
    return BadRequest(fmt::format("Object 'apiVersion' is missing in '{}'", Text(body)));
  }
  if (version != request.resource().ApiVersion()) {
    return BadRequest(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    version, request.resource().ApiVersion()));
  }
  if (kind != request.resource().kind) {
    return BadRequest(fmt::format("the kind in the data ({}) does not match the expected kind ({})",
                                  kind, request.resource().kind));
  }
  return {};
}

base::Status CheckName(const Request& request, json::Value& metadata) {
  if (request.name.empty()) return {};
  const std::string_view name = metadata["name"].AsString();
  if (name.empty()) return BadRequest("name must be provided");
  if (name != request.name) {
    return BadRequest(fmt::format(
        "the name of the object ({}) does not match the name on the URL ({})", name, request.name));
  }
  return {};
}

base::Status CheckNamespace(const Request& request, json::Value& metadata) {
  if (!request.resource().namespaced) {
    metadata.Erase("namespace");
    return {};
  }
  const std::string_view ns = metadata["namespace"].AsString();
  if (!ns.empty() && ns != request.ns) return NamespaceMismatch();
  if (request.ns.empty()) return BadRequest("an empty namespace may not be set during creation");
  metadata.Set("namespace", request.ns);
  return {};
}

// Written to only where it differs: writing copies what is shared with the stored object.
void CopyOrErase(std::string_view key, const json::Value& from, json::Value& object) {
  const json::Value* wanted = from.Find(key);
  const json::Value* given = object["metadata"].Find(key);
  if (!wanted && given) object.Mutable("metadata").Erase(key);
  if (wanted && !(given && *given == *wanted)) object.Mutable("metadata").Set(key, *wanted);
}

// What only the server sets.
void CarrySystemFields(const json::Value& before, json::Value& object) {
  for (const char* field : {"creationTimestamp", "deletionTimestamp", "generateName",
                            "deletionGracePeriodSeconds", "generation"}) {
    CopyOrErase(field, before, object);
  }
  if (object["metadata"]["uid"].AsString().empty()) CopyOrErase("uid", before, object);
  if (object["metadata"].Has("selfLink")) object.Mutable("metadata").Erase("selfLink");
}

// A prefix may end in a dash, which no name may.
std::string AsName(std::string_view prefix) {
  std::string name(prefix);
  if (name.size() > 1 && name.back() == '-') name.back() = 'a';
  return name;
}

void AddProblems(const std::string& field, const json::Value& value, const api::Problems& problems,
                 Causes& causes) {
  for (const std::string& problem : problems) {
    causes.push_back(api::InvalidField(field, value, problem));
  }
}

void ValidateLabels(const json::Value& labels, Causes& causes) {
  for (const json::Member& label : labels.Members()) {
    AddProblems("metadata.labels", label.key, api::LabelKeyProblems(label.name()), causes);
    AddProblems("metadata.labels", label.value, api::LabelValueProblems(label.value.AsString()),
                causes);
  }
}

void ValidateAnnotations(const json::Value& annotations, Causes& causes) {
  size_t bytes = 0;
  for (const json::Member& annotation : annotations.Members()) {
    std::string lower(annotation.name());
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    AddProblems("metadata.annotations", annotation.key, api::LabelKeyProblems(lower), causes);
    bytes += annotation.name().size() + annotation.value.AsString().size();
  }
  if (bytes > kMaxAnnotationBytes) {
    causes.push_back(api::TooLongField("metadata.annotations", kMaxAnnotationBytes));
  }
}

void ValidateOwners(const json::Value& owners, Causes& causes) {
  const std::string path = "metadata.ownerReferences";
  std::string controller;
  for (const json::Value& owner : owners.Items()) {
    for (const char* field : {"apiVersion", "kind", "name", "uid"}) {
      if (owner[field].AsString().empty()) {
        causes.push_back(api::InvalidField(api::Child(path, field), owner[field].AsString(),
                                           "must not be empty"));
      }
    }
    if (!owner["controller"].AsBool()) continue;
    const std::string name =
        fmt::format("{}/{}", owner["kind"].AsString(), owner["name"].AsString());
    if (!controller.empty()) {
      causes.push_back(api::InvalidField(
          path, owners,
          fmt::format("Only one reference can have Controller set to true. Found \"true\" in "
                      "references for {} and {}",
                      controller, name)));
    }
    controller = name;
  }
}

// Finalizers of Kubernetes' own kinds are among Kubernetes' own, or say whose they are.
void ValidateOwnFinalizers(const json::Value& finalizers, Causes& causes) {
  for (size_t i = 0; i < finalizers.size(); ++i) {
    const std::string_view name = finalizers.At(i).AsString();
    if (name == "kubernetes" || name == "orphan" || name == "foregroundDeletion") continue;
    if (name.find('/') != std::string_view::npos) continue;
    causes.push_back(
        api::InvalidField(api::Index("metadata.finalizers", i), finalizers.At(i),
                          "name is neither a standard finalizer name nor is it fully qualified"));
  }
}

void ValidateFinalizers(const json::Value& finalizers, Causes& causes) {
  bool orphan = false, foreground = false;
  for (const json::Value& finalizer : finalizers.Items()) {
    orphan |= finalizer.AsString() == "orphan";
    foreground |= finalizer.AsString() == "foregroundDeletion";
    AddProblems("metadata.finalizers", finalizer, api::LabelKeyProblems(finalizer.AsString()),
                causes);
  }
  if (orphan && foreground) {
    causes.push_back(
        api::InvalidField("metadata.finalizers", finalizers,
                          "finalizer orphan and foregroundDeletion cannot be both set"));
  }
}

// Whether all but metadata and status are equal.
bool IsSameDesiredState(const ServedResource& served, const json::Value& a, const json::Value& b) {
  const auto is_desired = [&](const json::Member& member) {
    return member.name() != "metadata" && !(served.has_status && member.name() == "status");
  };
  size_t in_both = 0;
  for (const json::Member& member : a.Members()) {
    if (!is_desired(member)) continue;
    const json::Value* other = b.Find(member.name());
    if (!other || !(*other == member.value)) return false;
    ++in_both;
  }
  return static_cast<size_t>(std::ranges::count_if(b.Members(), is_desired)) == in_both;
}

}  // namespace

api::Problems NameProblems(NameForm form, std::string_view name) {
  switch (form) {
    case NameForm::kDns1123Subdomain:
      return api::Dns1123SubdomainProblems(name);
    case NameForm::kDns1123Label:
      return api::Dns1123LabelProblems(name);
    case NameForm::kDns1035Label:
      return api::Dns1035LabelProblems(name);
    case NameForm::kPathSegment:
      break;
  }
  if (name == "." || name == "..") return {fmt::format("may not be '{}'", name)};
  for (const char bad : {'/', '%'}) {
    if (name.find(bad) != std::string_view::npos) return {fmt::format("may not contain '{}'", bad)};
  }
  return {};
}

base::Status CheckBody(const Request& request, json::Value& body) {
  if (!body.IsObject()) return BadRequest("the body of the request is not an object");
  // Kubernetes' own kinds are known by where they are sent to; those of others must say.
  if (!request.served->custom && !request.is_apply) {
    body.SetDefault("kind", request.resource().kind);
    body.SetDefault("apiVersion", request.resource().ApiVersion());
  }
  COPPICE_TRY(CheckKind(request, body));
  if (body.Has("metadata") && !body["metadata"].IsObject() && !body["metadata"].IsNull()) {
    return BadRequest("metadata must be an object");
  }
  json::Value& metadata = body.Mutable("metadata");
  if (!metadata.IsObject()) metadata = json::Value::Object();
  COPPICE_TRY(CheckName(request, metadata));
  return CheckNamespace(request, metadata);
}

base::Status InitializeMetadata(const Request& request, base::Time now, IdSource& ids,
                                json::Value& object) {
  json::Value& metadata = object.Mutable("metadata");
  if (!metadata["resourceVersion"].AsString().empty()) {
    return BadRequest("resourceVersion should not be set on objects to be created");
  }
  for (const char* field : {"resourceVersion", "selfLink", "deletionTimestamp",
                            "deletionGracePeriodSeconds", "generation"}) {
    metadata.Erase(field);
  }
  if (metadata["name"].AsString().empty()) {
    const std::string_view prefix = metadata["generateName"].AsString();
    if (!prefix.empty()) {
      metadata.Set("name",
                   std::string(prefix.substr(0, kMaxGeneratedNameLength - 5)) + ids.Suffix());
    }
  }
  metadata.Set("uid", ids.Uid());
  metadata.Set("creationTimestamp", base::FormatRfc3339(now));
  if (request.served->rules->HasGeneration()) metadata.Set("generation", 1);
  return {};
}

base::Status CarryMetadata(const Request& request, const json::Value& old, json::Value& object) {
  const json::Value& before = old["metadata"];
  const std::string_view uid = object["metadata"]["uid"].AsString();
  if (!uid.empty() && uid != before["uid"].AsString()) {
    return WriteConflict(request.resource(), request.name,
                         fmt::format("Precondition failed: UID in precondition: {}, UID in object "
                                     "meta: {}",
                                     uid, before["uid"].AsString()));
  }
  for (const char* field : {"name", "namespace", "uid"}) CopyOrErase(field, before, object);
  CarrySystemFields(before, object);
  return {};
}

base::Status KeepIdentity(const Request& request, Operation operation, const json::Value& before,
                          json::Value& object) {
  const json::Value& metadata = object["metadata"];
  if (metadata["namespace"] != before["namespace"]) {
    COPPICE_TRY(CheckNamespace(request, object.Mutable("metadata")));
  }
  CarrySystemFields(before, object);
  if (operation != Operation::kCreate) return {};
  for (const char* field : {"uid", "resourceVersion"}) CopyOrErase(field, before, object);
  const bool was_generated = before.Has("generateName");
  if (was_generated && metadata["name"].AsString().empty()) CopyOrErase("name", before, object);
  return {};
}

void BumpGeneration(const ServedResource& served, const json::Value& old, json::Value& object) {
  if (IsSameDesiredState(served, old, object)) return;
  json::Value& metadata = object.Mutable("metadata");
  metadata.Set("generation", old["metadata"]["generation"].AsInt() + 1);
}

void ValidateMetadata(const ServedResource& served, std::string_view kubernetes_version,
                      const json::Value& object, const json::Value& old, Causes& causes) {
  const NameForm form = served.rules->name_form(kubernetes_version);
  const json::Value& metadata = object["metadata"];
  const std::string_view name = metadata["name"].AsString();
  if (const json::Value& prefix = metadata["generateName"]; !prefix.AsString().empty()) {
    AddProblems("metadata.generateName", prefix, NameProblems(form, AsName(prefix.AsString())),
                causes);
  }
  if (name.empty()) {
    causes.push_back(api::RequiredField("metadata.name", "name or generateName is required"));
  } else {
    AddProblems("metadata.name", metadata["name"], NameProblems(form, name), causes);
  }
  const auto is_known = [&](std::string_view field) {
    return !old.IsNull() && metadata[field].SameAs(old["metadata"][field]);
  };
  if (!is_known("labels")) ValidateLabels(metadata["labels"], causes);
  if (!is_known("annotations")) ValidateAnnotations(metadata["annotations"], causes);
  if (!is_known("ownerReferences")) ValidateOwners(metadata["ownerReferences"], causes);
  if (is_known("finalizers")) return;
  ValidateFinalizers(metadata["finalizers"], causes);
  // Extensions of the API have rules as custom resources do.
  if (!served.custom && served.resource.group != "apiextensions.k8s.io") {
    ValidateOwnFinalizers(metadata["finalizers"], causes);
  }
}

void ValidateMetadataUpdate(const json::Value& object, const json::Value& old, Causes& causes) {
  const json::Value& metadata = object["metadata"];
  for (const char* field : {"name", "uid"}) {
    if (metadata[field] == old["metadata"][field]) continue;
    causes.push_back(
        api::InvalidField(api::Child("metadata", field), metadata[field], "field is immutable"));
  }
  if (!old["metadata"].Has("deletionTimestamp")) return;
  for (const json::Value& finalizer : metadata["finalizers"].Items()) {
    bool known = false;
    for (const json::Value& before : old["metadata"]["finalizers"].Items()) {
      known |= before == finalizer;
    }
    if (known) continue;
    causes.push_back(api::ForbiddenField(
        "metadata.finalizers",
        fmt::format("no new finalizers can be added if the object is being deleted, found new "
                    "finalizers []string{{{}}}",
                    api::Quoted(finalizer.AsString()))));
  }
}

bool HasFinalizers(const json::Value& object) { return !object["metadata"]["finalizers"].empty(); }

}  // namespace coppice::server
