#include <fmt/format.h>

#include <set>

#include "server/kinds/checks/checks.h"
#include "server/kinds/checks/claim_spec.h"
#include "server/kinds/pod/pod_parts.h"

namespace coppice::server {
namespace {

using api::Child;
using api::Index;

void CheckNotEmpty(const json::Value& source, const char* field, const std::string& path,
                   Causes& causes) {
  if (!source[field].AsString().empty()) return;
  causes.push_back(api::RequiredField(Child(path, field)));
}

// A file's permissions.
void CheckMode(const json::Value& mode, const std::string& path, Causes& causes) {
  if (!mode.IsInt() || (mode.AsInt() >= 0 && mode.AsInt() <= 0777)) return;
  causes.push_back(
      api::InvalidField(path, mode, "must be a number between 0 and 0777 (octal), both inclusive"));
}

// What of a ConfigMap or Secret becomes which file; `name` is the field with its name.
void CheckFiles(const json::Value& source, const char* name, const std::string& path,
                Causes& causes) {
  CheckNotEmpty(source, name, path, causes);
  CheckMode(source["defaultMode"], Child(path, "defaultMode"), causes);
  const json::Value& items = source["items"];
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string place = Index(Child(path, "items"), i);
    CheckNotEmpty(items.At(i), "key", place, causes);
    CheckNotEmpty(items.At(i), "path", place, causes);
    CheckRelativePath(items.At(i)["path"], Child(place, "path"), causes);
    CheckMode(items.At(i)["mode"], Child(place, "mode"), causes);
  }
}

// Kubernetes names no item here.
void CheckDownwardItem(const json::Value& item, const std::string& path, Causes& causes) {
  CheckNotEmpty(item, "path", path, causes);
  CheckRelativePath(item["path"], Child(path, "path"), causes);
  const json::Value& resource = item["resourceFieldRef"];
  if (item["fieldRef"].IsObject()) {
    if (resource.IsObject()) {
      causes.push_back(api::InvalidField(
          path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
    ValidateFieldRef(item["fieldRef"], true, Child(path, "fieldRef"), causes);
  } else if (resource.IsObject()) {
    CheckNotEmpty(resource, "containerName", Child(path, "resourceFieldRef"), causes);
    ValidateResourceFieldRef(resource, Child(path, "resourceFieldRef"), causes);
  } else {
    causes.push_back(api::RequiredField(path, "one of fieldRef and resourceFieldRef is required"));
  }
  CheckMode(item["mode"], Child(path, "mode"), causes);
}

void CheckDownward(const json::Value& source, const std::string& path, Causes& causes) {
  CheckMode(source["defaultMode"], Child(path, "defaultMode"), causes);
  for (const json::Value& item : source["items"].Items()) CheckDownwardItem(item, path, causes);
}

void CheckToken(const json::Value& token, const std::string& projected, const std::string& path,
                Causes& causes) {
  constexpr int64_t kShortest = 600;
  CheckNotEmpty(token, "path", projected, causes);
  const json::Value& seconds = token["expirationSeconds"];
  if (!seconds.IsInt() || seconds.AsInt() >= kShortest) return;
  causes.push_back(api::InvalidField(Child(path, "expirationSeconds"), seconds,
                                     "may not specify a duration less than 10 minutes"));
}

void CheckProjected(const json::Value& projected, const std::string& path, Causes& causes) {
  CheckMode(projected["defaultMode"], Child(path, "defaultMode"), causes);
  const json::Value& sources = projected["sources"];
  for (size_t i = 0; i < sources.size(); ++i) {
    const json::Value& source = sources.At(i);
    const std::string place = Index(Child(path, "sources"), i);
    if (source.size() > 1) {
      causes.push_back(
          api::ForbiddenField(place, "may not specify more than 1 volume type per source"));
      continue;
    }
    for (const char* kind : {"secret", "configMap"}) {
      if (source[kind].IsObject()) CheckFiles(source[kind], "name", Child(place, kind), causes);
    }
    if (source["downwardAPI"].IsObject()) {
      CheckDownward(source["downwardAPI"], Child(place, "downwardAPI"), causes);
    }
    if (source["serviceAccountToken"].IsObject()) {
      CheckToken(source["serviceAccountToken"], path, Child(place, "serviceAccountToken"), causes);
    }
  }
}

void CheckHostPath(const json::Value& source, const std::string& path, Causes& causes) {
  CheckNotEmpty(source, "path", path, causes);
  CheckNoDots(source["path"], Child(path, "path"), causes);
  CheckOneOf(source["type"],
             {"", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File",
              "FileOrCreate", "Socket"},
             Child(path, "type"), causes);
}

void CheckNfs(const json::Value& source, const std::string& path, Causes& causes) {
  CheckNotEmpty(source, "server", path, causes);
  CheckNotEmpty(source, "path", path, causes);
  if (source["path"].AsString().starts_with('/')) return;
  causes.push_back(api::InvalidField(Child(path, "path"), source["path"].AsString(),
                                     "must be an absolute path"));
}

void CheckEphemeral(const json::Value& source, const std::string& path, Causes& causes) {
  const json::Value& claim = source["volumeClaimTemplate"];
  const std::string place = Child(path, "volumeClaimTemplate");
  if (!claim.IsObject()) {
    causes.push_back(api::RequiredField(place));
    return;
  }
  for (const json::Member& field : claim["metadata"].Members()) {
    if (field.name() == "labels" || field.name() == "annotations") continue;
    causes.push_back(
        api::ForbiddenField(Child(Child(place, "metadata"), field.name()), "cannot be set"));
  }
  ValidateClaimSpec(claim["spec"], Child(place, "spec"), causes);
}

void CheckCsi(const json::Value& source, const std::string& path, Causes& causes) {
  CheckNotEmpty(source, "driver", path, causes);
  const json::Value& driver = source["driver"];
  if (driver.AsString().empty()) return;
  CheckProblems(driver, api::Dns1123SubdomainProblems(driver.AsString()), Child(path, "driver"),
                causes);
}

void CheckVolumeSource(std::string_view type, const json::Value& source, const std::string& path,
                       Causes& causes) {
  if (type == "configMap") CheckFiles(source, "name", path, causes);
  if (type == "secret") CheckFiles(source, "secretName", path, causes);
  if (type == "downwardAPI") CheckDownward(source, path, causes);
  if (type == "projected") CheckProjected(source, path, causes);
  if (type == "hostPath") CheckHostPath(source, path, causes);
  if (type == "nfs") CheckNfs(source, path, causes);
  if (type == "ephemeral") CheckEphemeral(source, path, causes);
  if (type == "csi") CheckCsi(source, path, causes);
  if (type == "persistentVolumeClaim") CheckNotEmpty(source, "claimName", path, causes);
  if (type == "image") CheckNotEmpty(source, "reference", path, causes);
  if (type == "emptyDir" && source.Has("sizeLimit") && SignOf(source["sizeLimit"]) < 0) {
    causes.push_back(api::ForbiddenField(Child(path, "sizeLimit"),
                                         "SizeLimit field must be a valid resource quantity"));
  }
}

// The first type counts, in Kubernetes' order as far as two that are often mixed up go.
void CheckSources(const json::Value& volume, const std::string& path, Causes& causes) {
  bool found = false;
  for (const json::Member& member : volume.Members()) {
    if (member.name() == "name") continue;
    const std::string place = Child(path, member.name());
    if (found) {
      causes.push_back(api::ForbiddenField(place, "may not specify more than 1 volume type"));
    } else {
      CheckVolumeSource(member.name(), member.value, place, causes);
    }
    found = true;
  }
  if (!found) causes.push_back(api::RequiredField(path, "must specify a volume type"));
}

// Kubernetes names no item in these two.
void CheckWithin(const json::Value& mount, const std::string& list, const std::string& place,
                 Causes& causes) {
  CheckRelativePath(mount["subPath"], Child(list, "subPath"), causes);
  CheckRelativePath(mount["subPathExpr"], Child(list, "subPathExpr"), causes);
  if (!mount["subPath"].AsString().empty() && !mount["subPathExpr"].AsString().empty()) {
    causes.push_back(api::InvalidField(Child(place, "subPathExpr"), mount["subPathExpr"],
                                       "subPathExpr and subPath are mutually exclusive"));
  }
  if (!mount.Has("mountPropagation")) return;
  CheckOneOf(mount["mountPropagation"], {"Bidirectional", "HostToContainer", "None"},
             Child(list, "mountPropagation"), causes);
}

}  // namespace

std::set<std::string> ValidateVolumes(const json::Value& volumes, const std::string& path,
                                      Causes& causes) {
  std::set<std::string> names;
  for (size_t i = 0; i < volumes.size(); ++i) {
    const json::Value& volume = volumes.At(i);
    const std::string place = Index(path, i);
    const std::string name = volume["name"].ToString();
    if (name.empty()) {
      causes.push_back(api::RequiredField(Child(place, "name")));
    } else {
      CheckProblems(volume["name"], api::Dns1123LabelProblems(name), Child(place, "name"), causes);
      if (!names.insert(name).second) {
        causes.push_back(api::DuplicateField(Child(place, "name"), volume["name"]));
      }
    }
    CheckSources(volume, place, causes);
  }
  return names;
}

void ValidateBlockDevices(const json::Value& devices, const std::set<std::string>& volumes,
                          const std::string& path, Causes& causes) {
  for (size_t i = 0; i < devices.size(); ++i) {
    const json::Value& name = devices.At(i)["name"];
    if (name.AsString().empty()) {
      causes.push_back(api::RequiredField(Child(Index(path, i), "name")));
    } else if (!volumes.contains(name.ToString())) {
      causes.push_back(api::NotFoundField(Child(Index(path, i), "name"), name));
    }
    CheckNotEmpty(devices.At(i), "devicePath", Index(path, i), causes);
  }
}

void ValidateMounts(const json::Value& mounts, const std::set<std::string>& volumes,
                    const std::string& path, Causes& causes) {
  std::set<std::string> places;
  for (size_t i = 0; i < mounts.size(); ++i) {
    const json::Value& mount = mounts.At(i);
    const std::string place = Index(path, i);
    const std::string name = mount["name"].ToString();
    if (name.empty()) {
      causes.push_back(api::RequiredField(Child(place, "name")));
    } else if (!volumes.count(name)) {
      causes.push_back(api::NotFoundField(Child(place, "name"), mount["name"]));
    }
    const std::string target = mount["mountPath"].ToString();
    if (target.empty()) {
      causes.push_back(api::RequiredField(Child(place, "mountPath")));
    } else if (!places.insert(target).second) {
      causes.push_back(api::InvalidField(Child(place, "mountPath"), target, "must be unique"));
    }
    CheckWithin(mount, path, place, causes);
  }
}

}  // namespace coppice::server
