#include <algorithm>
#include <set>

#include "cel/values/semver.h"
#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/kinds.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

constexpr size_t kMostDevices = 128;
constexpr size_t kLongestDomain = 63;
constexpr size_t kLongestIdentifier = 32;
constexpr size_t kLongestText = 64;
constexpr size_t kLongestPool = 253;

bool IsIdentifier(std::string_view text) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)); };
  return !text.empty() && letter(text[0]) &&
         std::ranges::all_of(text, [&](char c) { return letter(c) || digit(c); });
}

void CheckIdentifier(std::string_view name, const std::string& path, Causes& causes) {
  if (name.size() > kLongestIdentifier) {
    causes.push_back(api::TooLongField(path, kLongestIdentifier));
  }
  if (IsIdentifier(name)) return;
  causes.push_back(api::InvalidField(
      path, name,
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
      "validation is '[A-Za-z_][A-Za-z0-9_]*')"));
}

// "name", or "domain/name".
void CheckQualifiedName(std::string_view name, const std::string& path, Causes& causes) {
  const size_t slash = name.find('/');
  if (slash == name.npos) return CheckIdentifier(name, path, causes);
  const std::string_view domain = name.substr(0, slash);
  if (domain.size() > kLongestDomain) causes.push_back(api::TooLongField(path, kLongestDomain));
  CheckSubdomain(domain, path, causes);
  CheckIdentifier(name.substr(slash + 1), path, causes);
}

void CheckAttributeValue(const json::Value& attribute, const std::string& path, Causes& causes) {
  if (attribute.size() != 1) {
    causes.push_back(api::InvalidField(path, attribute.empty() ? json::Value("") : attribute,
                                       "exactly one value must be specified"));
  }
  for (const char* field : {"string", "version"}) {
    if (attribute[field].AsString().size() <= kLongestText) continue;
    causes.push_back(api::TooLongField(Child(path, field), kLongestText));
  }
  const json::Value& version = attribute["version"];
  if (version.IsNull() || cel::Semver::Parse(version.AsString())) return;
  causes.push_back(api::InvalidField(Child(path, "version"), version,
                                     "must be a string compatible with semver.org spec 2.0.0"));
}

void CheckDevice(const json::Value& device, const std::string& path, Causes& causes) {
  CheckProblems(device["name"].AsString(), api::Dns1123LabelProblems(device["name"].AsString()),
                Child(path, "name"), causes);
  for (const json::Member& attribute : device["attributes"].Members()) {
    const std::string place = api::Key(Child(path, "attributes"), attribute.name());
    CheckQualifiedName(attribute.name(), place, causes);
    CheckAttributeValue(attribute.value, place, causes);
  }
  for (const json::Member& capacity : device["capacity"].Members()) {
    CheckQualifiedName(capacity.name(), api::Key(Child(path, "capacity"), capacity.name()), causes);
  }
}

void CheckDevices(const json::Value& devices, Causes& causes) {
  if (devices.size() > kMostDevices) {
    causes.push_back(
        api::TooManyField("spec.devices", static_cast<int64_t>(devices.size()), kMostDevices));
    return;
  }
  std::set<std::string> names;
  for (size_t i = 0; i < devices.size(); ++i) {
    const std::string path = Index("spec.devices", i);
    if (!names.insert(devices.At(i)["name"].ToString()).second) {
      causes.push_back(api::DuplicateField(path, devices.At(i)["name"]));
    }
    CheckDevice(devices.At(i), path, causes);
  }
}

// Any number of names with slashes between them.
void CheckPoolName(const json::Value& name, Causes& causes) {
  const std::string path = "spec.pool.name";
  std::string_view rest = name.AsString();
  if (rest.empty()) return causes.push_back(api::RequiredField(path));
  if (rest.size() > kLongestPool) causes.push_back(api::TooLongField(path, kLongestPool));
  while (true) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    CheckProblems(part, api::Dns1123SubdomainProblems(part), path, causes);
    if (part.size() == rest.size()) return;
    rest.remove_prefix(part.size() + 1);
  }
}

class ResourceSliceKind : public KindRules {
 public:
  bool HasGeneration() const override { return true; }
  std::vector<api::SelectableField> SelectableFields() const override {
    return {"spec.driver", "spec.nodeName"};
  }
  void Validate(const RuleContext&, const json::Value& object, Causes& causes) const override {
    const json::Value& spec = object["spec"];
    CheckSubdomain(spec["driver"], "spec.driver", causes);
    if (spec["pool"]["resourceSliceCount"].AsInt() < 1) {
      causes.push_back(api::InvalidField("spec.pool.resourceSliceCount",
                                         spec["pool"]["resourceSliceCount"].AsInt(),
                                         "must be greater than zero"));
    }
    CheckDevices(spec["devices"], causes);
    CheckPoolName(spec["pool"]["name"], causes);
    if (spec["pool"]["generation"].AsInt() < 0) {
      causes.push_back(api::InvalidField("spec.pool.generation", spec["pool"]["generation"],
                                         "must be greater than or equal to zero"));
    }
    if (!spec["nodeName"].AsString().empty()) {
      CheckSubdomain(spec["nodeName"], "spec.nodeName", causes);
    }
    const int places = !spec["nodeName"].AsString().empty() + spec["nodeSelector"].IsObject() +
                       spec["allNodes"].AsBool() + spec["perDeviceNodeSelection"].AsBool();
    const std::string one =
        "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is "
        "required";
    if (places == 0) causes.push_back(api::RequiredField("spec", one));
    if (places > 1) {
      causes.push_back(api::InvalidField("spec", spec, one + ", but multiple fields are set"));
    }
  }
  void ValidateUpdate(const RuleContext&, const json::Value& object, const json::Value& old,
                      Causes& causes) const override {
    for (const char* field : {"driver", "nodeName"}) {
      CheckImmutable(object["spec"][field], old["spec"][field], api::Child("spec", field), causes);
    }
    CheckImmutable(object["spec"]["pool"]["name"], old["spec"]["pool"]["name"], "spec.pool.name",
                   causes);
  }
};

}  // namespace

std::shared_ptr<const KindRules> ResourceSliceRules() {
  return std::make_shared<ResourceSliceKind>();
}

}  // namespace coppice::server
