#include "api/schema/crd_files_testing.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/check.h"
#include "json/yaml.h"
#include "source_dir.h"

namespace coppice::api {
namespace {

const std::filesystem::path kFolder = COPPICE_SOURCE_DIR "/../shared/crds";

std::string ReadAll(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<CrdFile> ReadFolder() {
  std::vector<CrdFile> files;
  if (!std::filesystem::is_directory(kFolder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kFolder)) {
    if (entry.path().extension() != ".yaml") continue;
    auto crd = json::ParseYaml(ReadAll(entry.path()));
    COPPICE_CHECK(crd.ok());
    files.push_back({entry.path().filename().string(), *crd});
  }
  std::ranges::sort(files, {}, &CrdFile::path);
  return files;
}

}  // namespace

std::vector<CrdFile> ReadCrdFiles() {
  static const std::vector<CrdFile> files = ReadFolder();  // Megabytes: read once.
  return files;
}

json::Value ReadCrdSchema(const std::string& file_name) {
  for (const CrdFile& file : ReadCrdFiles()) {
    if (!file.path.ends_with(file_name)) continue;
    return file.crd["spec"]["versions"].At(0)["schema"]["openAPIV3Schema"];
  }
  return {};
}

json::Value WithoutDescriptions(const json::Value& schema) {
  if (schema.IsArray()) {
    json::Value out = json::Value::Array();
    for (const json::Value& item : schema.Items()) out.Append(WithoutDescriptions(item));
    return out;
  }
  if (!schema.IsObject()) return schema;
  json::Value out = json::Value::Object();
  for (const json::Member& member : schema.Members()) {
    // A description is a text; a property of that name is an object.
    if (member.name() == "description" && member.value.IsString()) continue;
    out.Set(member.name(), WithoutDescriptions(member.value));
  }
  return out;
}

}  // namespace coppice::api
