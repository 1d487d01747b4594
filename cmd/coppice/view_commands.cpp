#include "view_commands.h"

#include "cli/common/resource_words.h"
#include "cli/history/history.h"
#include "cli/queues/queue_command.h"
#include "cli/show/views.h"
#include "cli/snapshot/snapshot_command.h"
#include "cli/wait/wait_command.h"
#include "cli/why/why.h"

namespace coppice {
namespace {

// Which of the flags make sense for a command.
struct FlagChoice {
  bool namespaces = true;
  bool selector = true;
};

void AddViewFlags(CLI::App& command, cli::ViewFlags& flags, FlagChoice choice = {}) {
  if (choice.namespaces) {
    auto* one =
        command.add_option("-n,--namespace", flags.ns, "Namespace (default: the context's)");
    command.add_flag("-A,--all-namespaces", flags.all_namespaces, "All namespaces")->excludes(one);
  }
  if (choice.selector) {
    command.add_option("-l,--selector", flags.selector, "Only objects with these labels: a=b,c!=d");
  }
  command.add_flag("-w,--watch", flags.watch, "Show it again when it changes, until Ctrl-C");
  AddFormatFlag(command, flags.format);
  AddClusterFlags(command, flags.cluster);
}

// A mistake on the command line, with exit code 2.
template <typename Result>
void CheckArgument(const Result& parsed) {
  if (!parsed) throw CLI::ValidationError(parsed.error().message());
}

constexpr const char* kTargetHelp =
    "NAME, KIND/NAME or KIND NAME; kinds: set (pcs), gang (pg), clique (pclq), group, pod (po), "
    "job, "
    "cronjob (cj), deployment (deploy), statefulset (sts), replicaset (rs)";

void AddWhy(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<cli::WhyOptions>();
  CLI::App* command = app.add_subcommand("why", "Explain what waits, why, and what would help");
  command->add_option("target", options->target, kTargetHelp);
  AddViewFlags(*command, options->view);
  command->footer(
      "Without a name: everything that waits, worst first, one line each.\n"
      "With a name: the reason, the smallest change that lets it run, and the evidence.");
  command->callback([options, &exit_code] {
    CheckArgument(cli::JoinTarget(options->target));
    exit_code = cli::RunWhy(*options);
  });
}

void AddTree(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<cli::TreeOptions>();
  CLI::App* command = app.add_subcommand("tree", "Show what runs where");
  command->add_option("target", options->target, kTargetHelp);
  AddViewFlags(*command, options->view);
  command->footer(
      "Pods that are Ready are only counted; -o wide lists them all, and cuts nothing.");
  command->callback([options, &exit_code] {
    CheckArgument(cli::JoinTarget(options->target));
    exit_code = cli::RunTree(*options);
  });
}

void AddQueues(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<cli::QueuesOptions>();
  CLI::App* command = app.add_subcommand(
      "queues", "Show the queue tree: quota, fair share, usage, and what runs and waits");
  AddViewFlags(*command, options->view, {.namespaces = false, .selector = false});
  command->footer("-o wide adds priorities, weights, and the bounds of CPU and memory.");
  command->callback([options, &exit_code] { exit_code = cli::RunQueues(*options); });
}

void AddTop(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<cli::TopOptions>();
  CLI::App* command =
      app.add_subcommand("top", "Show nodes and racks: GPUs, free ones, the largest hole, pods");
  command->add_option("part", options->part, "nodes or racks; both without it")
      ->check(CLI::IsMember({"nodes", "racks"}));
  AddViewFlags(*command, options->view, {.namespaces = false});
  command->footer(
      "FREE counts GPUs on nodes that take pods. The largest hole is what one pod can get: whole\n"
      "GPUs that are free on one node. EMPTY counts nodes with all GPUs free.");
  command->callback([options, &exit_code] { exit_code = cli::RunTop(*options); });
}

void AddWait(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<cli::WaitOptions>();
  CLI::App* command = app.add_subcommand(
      "wait", "Wait until a set, gang, Job or pod is ready, scheduled or deleted");
  command->add_option("target", options->target, kTargetHelp)->required();
  command->add_option("--for", options->what, "ready, scheduled, complete (Jobs) or deleted")
      ->capture_default_str();
  command->add_option("--timeout", options->timeout, "How long to wait: 30s, 5m, 2h; 0 checks once")
      ->capture_default_str();
  command->add_option("-n,--namespace", options->ns, "Namespace (default: the context's)");
  AddClusterFlags(*command, options->cluster);
  command->footer(
      "Exit codes: 0 it is so; 1 error, such as a name that nothing has; 2 bad command line;\n"
      "3 timed out; 4 it can no longer happen, such as a Job that has failed.");
  command->callback([options, &exit_code] {
    CheckArgument(cli::JoinTarget(options->target));
    CheckArgument(cli::ParseWaitGoal(options->what));
    exit_code = cli::RunWait(*options);
  });
}

void AddHistory(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<cli::HistoryOptions>();
  CLI::App* command = app.add_subcommand(
      "history", "Show what happened to something: placed, evicted by whom and why, restarted");
  command->add_option("target", options->target, kTargetHelp)->required();
  command->add_option("-n,--namespace", options->view.ns, "Namespace (default: the context's)");
  command->add_flag("-w,--watch", options->view.watch, "Show it again when it changes");
  AddFormatFlag(*command, options->view.format);
  AddClusterFlags(*command, options->view.cluster);
  command->footer(
      "From events, conditions and statuses; events go back as far as the cluster keeps "
      "them, often one hour.");
  command->callback([options, &exit_code] {
    CheckArgument(cli::JoinTarget(options->target));
    exit_code = cli::RunHistory(*options);
  });
}

void AddSnapshot(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<cli::SnapshotOptions>();
  CLI::App* command = app.add_subcommand(
      "snapshot", "Write a cluster's scheduling state to a file, for coppice simulate");
  command->add_option("file", options->file, "Zip file to write; - writes standard output")
      ->required();
  AddClusterFlags(*command, options->cluster);
  command->footer(
      "Works on any cluster. Secrets are not read; environment variables, commands and the data "
      "of\n"
      "ConfigMaps are left out.");
  command->callback([options, &exit_code] { exit_code = cli::RunSnapshot(*options); });
}

void AddBounds(CLI::App& command, const std::string& name, const std::string& unit,
               cli::QueueSettings::Resource& resource) {
  command.add_option("--" + name + "-quota", resource.quota,
                     "Guaranteed " + unit + "; unlimited lifts it");
  command.add_option("--" + name + "-limit", resource.limit,
                     "Most " + unit + " it may hold; unlimited lifts it");
  command.add_option("--" + name + "-weight", resource.weight,
                     "Weight in the division of what is beyond all quotas");
}

void AddQueueVerb(CLI::App& queue, const std::string& verb, const std::string& about,
                  int& exit_code) {
  auto options = std::make_shared<cli::QueueCommand>();
  options->verb = verb;
  CLI::App* command = queue.add_subcommand(verb, about);
  command->add_option("name", options->name, "Name of the queue")->required();
  if (verb == "create" || verb == "set") {
    command->add_option("--parent", options->settings.parent, "Parent queue");
    command->add_option("--display-name", options->settings.display_name, "Name for people");
    command->add_option("--priority", options->settings.priority,
                        "Queues with a higher one get what is left first (default 100)");
    AddBounds(*command, "gpu", "GPUs", options->settings.gpu);
    AddBounds(*command, "cpu", "cores", options->settings.cpu);
    AddBounds(*command, "memory", "memory, such as 512Gi", options->settings.memory);
  }
  if (verb == "delete") {
    command->add_flag("--force", options->force, "Even if queues or workloads are in it");
  }
  AddClusterFlags(*command, options->cluster);
  command->callback([options, &exit_code] { exit_code = cli::RunQueueCommand(*options); });
}

void AddQueueCommands(CLI::App& app, int& exit_code) {
  CLI::App* queue = app.add_subcommand("queue", "Create, change, hold, resume or delete a queue");
  queue->require_subcommand(1);
  AddQueueVerb(*queue, "create", "Create a queue", exit_code);
  AddQueueVerb(*queue, "set", "Change a queue's quotas, limits, weights, priority or parent",
               exit_code);
  AddQueueVerb(*queue, "hold", "Let nothing new of a queue start; what runs goes on", exit_code);
  AddQueueVerb(*queue, "resume", "Let a queue that is on hold take work again", exit_code);
  AddQueueVerb(*queue, "delete", "Delete a queue that is not in use", exit_code);
  queue->footer(
      "hold sets the queue's limits to 0 and keeps them in an annotation, from which resume "
      "restores\n"
      "them. Pods that request no GPU, CPU or memory still start. While a queue is on hold its "
      "fair\n"
      "share is 0, so other queues may reclaim what it holds beyond its quota.");
}

}  // namespace

void AddServerFlags(CLI::App& command, cli::ClusterFlags& flags) {
  command.add_option("--kubeconfig", flags.kubeconfig, "Kubeconfig file (default: like kubectl)");
  command.add_option("--context", flags.context, "Kubeconfig context");
}

void AddClusterFlags(CLI::App& command, cli::ClusterFlags& flags) {
  AddServerFlags(command, flags);
  command.add_option("--as", flags.as, "User to impersonate");
  command.add_option("--as-group", flags.as_groups, "Group to impersonate; repeatable")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void AddFormatFlag(CLI::App& command, cli::Format& format) {
  command.add_option_function<std::string>(
      "-o,--output",
      [&format](const std::string& text) {
        const auto parsed = cli::ParseFormat(text);
        if (!parsed) throw CLI::ValidationError(parsed.error().message());
        format = *parsed;
      },
      "Output format: wide, json, yaml or name (default: a table)");
}

void AddViewCommands(CLI::App& app, int& exit_code) {
  AddTree(app, exit_code);
  AddQueues(app, exit_code);
  AddTop(app, exit_code);
  AddWhy(app, exit_code);
  AddWait(app, exit_code);
  AddHistory(app, exit_code);
  AddQueueCommands(app, exit_code);
  AddSnapshot(app, exit_code);
}

}  // namespace coppice
