#include "cli/old_gangs.h"

#include <fmt/format.h>

#include "backends/workload/upgrade.h"
#include "cli/common/fail.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

base::Status Run(const OldGangsOptions& options) {
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const auto client, Connect(options.cluster, executor));
  COPPICE_ASSIGN(const auto objects,
                 backends::workload::ObjectsOfVersion(*client, options.version));
  for (const json::Value& object : objects) {
    fmt::print("{} {}/{}\n", kube::Kind(object), kube::Namespace(object), kube::Name(object));
  }
  if (!options.remove) return {};
  COPPICE_ASSIGN(const int deleted,
                 backends::workload::DeleteObjectsOfVersion(*client, options.version));
  fmt::print("deleted {}\n", deleted);
  return {};
}

}  // namespace

int RunOldGangs(const OldGangsOptions& options) {
  const base::Status done = Run(options);
  return done ? 0 : Fail(done.error());
}

}  // namespace coppice::cli
