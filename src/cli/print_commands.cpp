#include "cli/print_commands.h"

#include <fmt/format.h>

#include "api/grove/crds.h"
#include "api/kai/crds.h"
#include "json/yaml.h"

namespace coppice::cli {

int RunCrds() {
  for (const auto& crds : {api::grove::Crds(), api::kai::Crds()}) {
    for (const json::Value& crd : crds) fmt::print("---\n{}", json::WriteYaml(crd));
  }
  return 0;
}

int RunVersion() {
  fmt::print("coppice {}\n", COPPICE_VERSION);
  return 0;
}

}  // namespace coppice::cli
