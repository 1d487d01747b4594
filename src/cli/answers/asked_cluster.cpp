#include "cli/answers/asked_cluster.h"

#include "api/view/kaifiles.h"
#include "api/well_known.h"
#include "cli/common/files.h"
#include "cli/common/list_or_none.h"
#include "services/scheduler/options/config_file.h"
#include "services/scheduler/options/flags.h"
#include "services/scheduler/snapshot.h"

namespace coppice::cli {
namespace {

using json::Value;
namespace scheduler = services::scheduler;

base::Status TakeConfig(const std::string& path, scheduler::Options& options) {
  if (path.empty()) return {};
  COPPICE_ASSIGN(const std::string text, ReadFile(path));
  auto config = scheduler::ParseConfigFile(text);
  if (!config) return config.error().During(path);
  scheduler::TakeDecisions(std::move(config->configuration), options);
  return {};
}

base::Result<base::Time> TimeOf(const AskedFlags& flags, base::Time otherwise) {
  if (flags.now.empty()) return otherwise;
  auto time = base::ParseRfc3339(flags.now);
  if (!time) return time.error().During("--now");
  return *time;
}

}  // namespace

base::Result<std::unique_ptr<AskedCluster>> AskedCluster::FromSnapshot(const AskedFlags& flags) {
  COPPICE_ASSIGN(const std::string bytes, ReadFile(flags.snapshot));
  auto snapshot = scheduler::ReadSnapshot(bytes);
  if (!snapshot) return snapshot.error().During(flags.snapshot);
  COPPICE_TRY(TakeConfig(flags.config, snapshot->options));
  auto out = std::make_unique<AskedCluster>();
  COPPICE_ASSIGN(out->now_, TimeOf(flags, scheduler::NewestTime(*snapshot)));
  out->engine_ = std::make_unique<engine::Engine>(snapshot->options.configuration);
  out->engine_->KeepInputs();
  scheduler::LoadSnapshot(*snapshot, *out->engine_);
  out->node_pool_key_ = snapshot->options.node_pool_label_key;
  out->objects_ = std::move(snapshot->objects);
  return out;
}

base::Result<std::unique_ptr<AskedCluster>> AskedCluster::FromClient(kube::Client& client,
                                                                     kube::Executor& executor,
                                                                     const AskedFlags& flags,
                                                                     const PictureWait& wait) {
  COPPICE_ASSIGN(const bool scheduled, HasScheduler(client));
  if (!scheduled) {
    return base::Error(base::ErrorCode::kNotFound,
                       "this cluster does not serve our scheduler's kinds (PodGroup, Queue, …); "
                       "`coppice crds --install` installs them");
  }
  if (!MaySeeNodes(client)) {
    return base::Error(base::ErrorCode::kForbidden,
                       "you may not list nodes; what happens next depends on the whole cluster");
  }
  scheduler::Options options = PictureOptions(flags.node_pool);
  COPPICE_TRY(TakeConfig(flags.config, options));
  auto out = std::make_unique<AskedCluster>();
  COPPICE_ASSIGN(out->now_, TimeOf(flags, executor.Now()));
  out->picture_ = std::make_unique<Picture>(client, executor, std::move(options));
  COPPICE_TRY(out->picture_->Read(wait));
  out->node_pool_key_ = out->picture_->options().node_pool_label_key;
  out->objects_ = out->picture_->Objects();
  // Estimates are less good without Jobs.
  if (auto jobs = ListOrNone(client, api::kJobs, "")) out->jobs_ = *std::move(jobs);
  if (auto bindings = ListOrNone(client, api::kClusterTopologyBindings, "")) {
    out->bindings_ = *std::move(bindings);
  }
  return out;
}

scheduler::PriorityClasses AskedCluster::Priorities() const {
  scheduler::PriorityClasses classes;
  for (const auto item : view::kaifiles::RawObjects(objects_).priorityClasses()) {
    classes.Put(item.Json());
  }
  return classes;
}

scheduler::KnownRuntimes AskedCluster::Runtimes() const {
  const view::kaifiles::RawObjects objects(objects_);
  return scheduler::ReadRuntimes(
      {objects.pods().Json().Items(), objects.podGroups().Json().Items(), jobs_}, now_);
}

std::vector<Value> AskedCluster::Surroundings() const {
  const view::kaifiles::RawObjects objects(objects_);
  std::vector<Value> out = bindings_;
  for (const Value& list :
       {objects.priorityClasses().Json(), objects.queues().Json(), objects.topologies().Json()}) {
    for (const Value& item : list.Items()) out.push_back(item);
  }
  return out;
}

}  // namespace coppice::cli
