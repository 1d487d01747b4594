#include "cli/snapshot/snapshot_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "api/key/kaifiles.h"
#include "api/view/core.h"
#include "api/well_known.h"
#include "cli/common/fail.h"
#include "cli/common/list_or_none.h"
#include "cli/snapshot/redact.h"
#include "cli/text/progress.h"
#include "kube/executor/thread_executor.h"
#include "services/common/served.h"
#include "services/scheduler/options/options.h"
#include "services/scheduler/snapshot.h"

namespace coppice::cli {
namespace {

using json::Value;
using Lists = key::kaifiles::RawObjects;

struct SnapshotList {
  std::string_view name;  // In the file.
  const api::Resource& resource;
};

const api::Resource kNumaTopologies{"topology.node.k8s.io", "v1alpha2", "noderesourcetopologies",
                                    "NodeResourceTopology", false};

const SnapshotList kSnapshotLists[] = {
    {Lists::nodes, api::kNodes},
    {Lists::pods, api::kPods},
    {Lists::podGroups, api::kPodGroups},
    {Lists::queues, api::kQueues},
    {Lists::bindRequests, api::kBindRequests},
    {Lists::topologies, api::kTopologies},
    {Lists::priorityClasses, api::kPriorityClasses},
    {Lists::configMaps, api::kConfigMaps},
    {Lists::persistentVolumeClaims, api::kPersistentVolumeClaims},
    {Lists::persistentVolumes, api::kPersistentVolumes},
    {Lists::storageClasses, api::kStorageClasses},
    {Lists::csiDrivers, api::kCsiDrivers},
    {Lists::csiStorageCapacities, api::kCsiStorageCapacities},
    {Lists::deviceClasses, api::kDeviceClasses},
    {Lists::resourceSlices, api::kResourceSlices},
    {Lists::resourceClaims, api::kResourceClaims},
    {Lists::nodeResourceTopologies, kNumaTopologies}};

base::Result<Value> ReadSnapshotList(kube::Client& client, const SnapshotList& list) {
  COPPICE_ASSIGN(std::vector<Value> objects, ListOrNone(client, list.resource, ""));
  Value out = Value::Array();
  for (Value& object : objects) {
    const bool failed =
        list.resource == api::kPods && view::core::Pod(object).status().phase() == "Failed";
    if (!failed) out.Append(Redact(std::move(object)));
  }
  return out;
}

base::Status WriteBytes(const std::string& path, const std::string& bytes) {
  if (path == "-") {
    const bool ok = std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size();
    return ok ? base::Status() : base::Unavailable("standard output is closed");
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return {};
  return base::InvalidArgument(
      fmt::format("cannot write {}; is the folder there and writable?", path));
}

}  // namespace

base::Result<std::string> TakeSnapshot(kube::Client& client) {
  Progress progress("reading");
  services::scheduler::Snapshot snapshot;
  snapshot.objects = Value::Object();
  size_t done = 0;
  for (const SnapshotList& list : kSnapshotLists) {
    progress.Show(++done, std::size(kSnapshotLists));
    COPPICE_ASSIGN(Value objects, ReadSnapshotList(client, list));
    snapshot.objects.Set(list.name, std::move(objects));
  }
  COPPICE_ASSIGN(snapshot.options.configuration.dra_available,
                 services::IsServed(client, api::kResourceClaims));
  return services::scheduler::WriteSnapshot(snapshot);
}

int RunSnapshot(const SnapshotOptions& options) {
  kube::ThreadExecutor executor;
  const auto client = Connect(options.cluster, executor);
  if (!client) return Fail(client.error());
  const auto bytes = TakeSnapshot(**client);
  if (!bytes) return Fail(bytes.error());
  if (const base::Status written = WriteBytes(options.file, *bytes); !written) {
    return Fail(written.error());
  }
  if (options.file == "-") return 0;
  fmt::print("{} written, {} KiB; coppice simulate {} replays it\n", options.file,
             bytes->size() / 1024 + 1, options.file);
  return 0;
}

}  // namespace coppice::cli
