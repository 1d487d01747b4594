#include "cli/print_commands.h"

#include <fmt/format.h>

#include "cli/common/fail.h"
#include "cli/install_crds.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "server/api_server.h"

namespace coppice::cli {

int RunCrds(const CrdChoice& choice, Format format) {
  if (format == Format::kJson) {
    json::Value crds = json::Value::Array();
    for (const json::Value& crd : CrdsOf(choice)) crds.Append(crd);
    fmt::print("{}\n", json::Write(crds));
    return 0;
  }
  for (const json::Value& crd : CrdsOf(choice)) fmt::print("---\n{}", json::WriteYaml(crd));
  return 0;
}

std::string VersionText() { return fmt::format("coppice {}", COPPICE_VERSION); }

int RunVersion() {
  fmt::print("{}\n", VersionText());
  return 0;
}

int RunBackup(const std::string& data_dir, const std::string& file) {
  const base::Status done = server::ApiServer::BackUp(data_dir, file);
  return done ? 0 : Fail(done.error());
}

}  // namespace coppice::cli
