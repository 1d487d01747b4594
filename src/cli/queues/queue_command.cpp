#include "cli/queues/queue_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "api/edit/kai.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "cli/common/fail.h"
#include "cli/common/list_or_none.h"
#include "cli/queues/hold_queue.h"
#include "kube/executor/thread_executor.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

base::Result<Value> GetQueue(kube::Client& client, const std::string& name) {
  auto queue = client.Get(api::kQueues, {"", name});
  if (queue.Is(base::ErrorCode::kNotFound)) {
    return base::NotFound(fmt::format(
        "there is no queue called \"{}\"; coppice queues lists them, and coppice queue create {} "
        "makes one",
        name, name));
  }
  return queue;
}

// A queue whose parent is missing schedules nothing.
base::Status CheckParent(kube::Client& client, const QueueSettings& settings) {
  if (!settings.parent || settings.parent->empty()) return {};
  const auto parent = client.Get(api::kQueues, {"", *settings.parent});
  if (!parent.Is(base::ErrorCode::kNotFound)) return {};
  return base::NotFound(
      fmt::format("--parent: there is no queue called \"{}\"; create it first", *settings.parent));
}

base::Status Apply(kube::Client& client, const Value& queue, const Value& patch) {
  const auto done = client.Patch(api::kQueues, {"", std::string(kube::Name(queue))},
                                 kube::PatchType::kMerge, patch);
  return done ? base::Status() : done.error();
}

void SetDefaults(edit::kai::QueueResource resource) {
  const view::kai::QueueResource now(resource.Json());
  if (!now.has_quota()) resource.set_quota(0);
  if (!now.has_limit()) resource.set_limit(-1);
  if (!now.has_overQuotaWeight()) resource.set_overQuotaWeight(1);
}

base::Result<std::string> CreateQueue(kube::Client& client, const QueueCommand& command) {
  COPPICE_TRY(CheckParent(client, command.settings));
  COPPICE_ASSIGN(Value spec, QueueSpecPatch(command.settings));
  const edit::kai::QueueResources resources = edit::kai::QueueSpec(spec).resources();
  SetDefaults(resources.gpu());
  SetDefaults(resources.cpu());
  SetDefaults(resources.memory());
  Value queue = kube::NewObject(api::kQueues, "", command.name);
  edit::kai::Queue(queue).set_spec(std::move(spec));
  const auto made = client.Create(api::kQueues, queue);
  if (made.Is(base::ErrorCode::kAlreadyExists)) {
    return base::AlreadyExists(
        fmt::format("queue {0} exists already; coppice queue set {0} changes it", command.name));
  }
  if (!made) return made.error();
  return fmt::format("queue/{} created", command.name);
}

base::Result<std::string> SetQueue(kube::Client& client, const QueueCommand& command) {
  if (command.settings.empty()) {
    return base::InvalidArgument("nothing to set; coppice queue set --help lists the settings");
  }
  COPPICE_ASSIGN(const Value queue, GetQueue(client, command.name));
  const bool limits =
      command.settings.gpu.limit || command.settings.cpu.limit || command.settings.memory.limit;
  if (limits && IsOnHold(queue)) {
    return base::InvalidArgument(
        fmt::format("queue {0} is on hold, which sets its limits; coppice queue resume {0} first",
                    command.name));
  }
  COPPICE_TRY(CheckParent(client, command.settings));
  COPPICE_ASSIGN(Value spec, QueueSpecPatch(command.settings));
  Value patch;
  edit::kai::Queue(patch).set_spec(std::move(spec));
  COPPICE_TRY(Apply(client, queue, patch));
  return fmt::format("queue/{} changed", command.name);
}

base::Result<std::string> HoldQueue(kube::Client& client, const std::string& name) {
  COPPICE_ASSIGN(const Value queue, GetQueue(client, name));
  const Value patch = HoldPatch(queue);
  if (patch.IsNull()) return fmt::format("queue/{} is on hold already", name);
  COPPICE_TRY(Apply(client, queue, patch));
  return fmt::format(
      "queue/{0} is on hold: nothing new of it starts, and what runs goes on; coppice "
      "queue resume {0} ends it",
      name);
}

base::Result<std::string> ResumeQueue(kube::Client& client, const std::string& name) {
  COPPICE_ASSIGN(const Value queue, GetQueue(client, name));
  COPPICE_ASSIGN(const Value patch, ResumePatch(queue));
  if (patch.IsNull()) return fmt::format("queue/{} is not on hold", name);
  COPPICE_TRY(Apply(client, queue, patch));
  return fmt::format("queue/{} takes work again", name);
}

// What is in the way of deleting it: its work would wait for a queue that does not exist.
base::Status CheckUnused(kube::Client& client, const Value& queue) {
  const std::string_view name = kube::Name(queue);
  COPPICE_ASSIGN(const std::vector<Value> queues, ListOrNone(client, api::kQueues, ""));
  for (const Value& other : queues) {
    if (view::kai::Queue(other).spec().parentQueue() != name) continue;
    return base::InvalidArgument(
        fmt::format("queue {} is the parent of {}; delete or move that first, or use --force", name,
                    kube::Name(other)));
  }
  const auto groups = ListOrNone(client, api::kPodGroups, "");
  if (!groups) return {};  // A user who may not see them decides alone.
  const auto used = std::count_if(groups->begin(), groups->end(), [&](const Value& group) {
    return view::kai::PodGroup(group).spec().queue() == name;
  });
  if (used == 0) return {};
  return base::InvalidArgument(fmt::format(
      "queue {} has {} workload(s), which would wait for a queue that does not exist; let "
      "them end (coppice queue hold {}), or use --force",
      name, used, name));
}

base::Result<std::string> DeleteQueue(kube::Client& client, const QueueCommand& command) {
  COPPICE_ASSIGN(const Value queue, GetQueue(client, command.name));
  if (!command.force) COPPICE_TRY(CheckUnused(client, queue));
  COPPICE_TRY(client.Delete(api::kQueues, {"", command.name}));
  return fmt::format("queue/{} deleted", command.name);
}

}  // namespace

base::Result<std::string> ChangeQueue(kube::Client& client, const QueueCommand& command) {
  if (command.verb == "create") return CreateQueue(client, command);
  if (command.verb == "set") return SetQueue(client, command);
  if (command.verb == "hold") return HoldQueue(client, command.name);
  if (command.verb == "resume") return ResumeQueue(client, command.name);
  return DeleteQueue(client, command);
}

int RunQueueCommand(const QueueCommand& command) {
  kube::ThreadExecutor executor;
  const auto client = Connect(command.cluster, executor);
  if (!client) return Fail(client.error());
  const auto line = ChangeQueue(**client, command);
  if (!line) return Fail(line.error());
  fmt::print("{}\n", *line);
  return 0;
}

}  // namespace coppice::cli
