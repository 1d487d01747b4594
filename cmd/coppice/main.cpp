// Flags and wiring; every command lives in src/cli.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/log.h"
#include "cli/answers/eta.h"
#include "cli/answers/replay.h"
#include "cli/answers/what_if.h"
#include "cli/common/fail.h"
#include "cli/completion.h"
#include "cli/completion_names.h"
#include "cli/demo.h"
#include "cli/doctor.h"
#include "cli/initc.h"
#include "cli/install_crds.h"
#include "cli/old_gangs.h"
#include "cli/print_commands.h"
#include "cli/rbac.h"
#include "cli/render/render.h"
#include "cli/run/run.h"
#include "cli/run/up.h"
#include "cli/setup.h"
#include "cli/simulate/simulate.h"
#include "cli/simulate/simulate_fairshare.h"
#include "cli/simulate/simulate_time.h"
#include "cli/ui/page.h"
#include "cli/ui/ui.h"
#include "services/flag_help.h"
#include "services/flags.h"
#include "sim/cluster_shape.h"
#include "view_commands.h"

namespace {

using namespace coppice;

constexpr int kUsageError = 2;  // A command line that cannot be meant; what fails otherwise is 1.
int exit_code = 0;
std::vector<std::string> run_flags;

void AddDemo(CLI::App& app) {
  auto options = std::make_shared<cli::DemoOptions>();
  CLI::App* command =
      app.add_subcommand("demo", "Run everything on this machine and show it working");
  command->add_flag("--exit", options->exit,
                    "Exit at the end, with code 0 only if everything worked");
  command->callback([options] { exit_code = cli::RunDemo(*options); });
}

void AddUp(CLI::App& app) {
  auto options = std::make_shared<cli::UpOptions>();
  CLI::App* command = app.add_subcommand(
      "up", "Run the embedded Kubernetes API server with simulated nodes and all components");
  auto* data = command->add_option("--data", options->data_dir, "Folder to store the data in");
  command
      ->add_flag("--accept-data-loss", options->accept_data_loss,
                 "Start once with what can still be read from damaged files")
      ->needs(data);
  command->add_flag("--in-memory", options->in_memory, "Store nothing (the default)")
      ->excludes(data);
  command->add_option("--listen", options->listen, "ADDRESS:PORT; port 0 picks a free one")
      ->capture_default_str();
  command->add_option("--write-kubeconfig", options->kubeconfig, "Where to write the kubeconfig")
      ->capture_default_str();
  command
      ->add_option("--kubernetes", options->kubernetes_version,
                   "Release to serve: 1.35, 1.36 or 1.37")
      ->capture_default_str()
      ->check(CLI::IsMember({"1.35", "1.36", "1.37"}));
  auto* nodes = command->add_option("--nodes", options->nodes, "Number of simulated nodes")
                    ->capture_default_str()
                    ->check(CLI::Range(0, sim::kMaxNodes));
  auto* gpus = command->add_option("--gpus", options->gpus, "GPUs per node")
                   ->capture_default_str()
                   ->check(CLI::Range(0, sim::kMaxGpus));
  auto* topology =
      command->add_option("--topology", options->topology,
                          "Domains per level, widest first: 2x4 is 2 blocks of 4 racks");
  command
      ->add_option("--cluster", options->cluster_file,
                   "YAML file with node pools and topology, instead of the three flags above")
      ->excludes(nodes)
      ->excludes(gpus)
      ->excludes(topology);
  command->add_option("--components", options->components, "all, none, or a comma-separated list")
      ->capture_default_str();
  command
      ->add_option("--operator-config", options->operator_config,
                   "Configuration file of the operator (kind OperatorConfiguration)")
      ->check(CLI::ExistingFile);
  command->footer(cli::ListAllComponents() +
                  "\nThe components' own flags work too, such as --scheduler-conf FILE;\n"
                  "coppice run COMPONENT… --help lists them.\n");
  command->allow_extras();  // The components' flags.
  command->add_option("--audit-log", options->audit_log, "File to log one line per request to");
  command
      ->add_option("--admin-address", options->admin_address,
                   "Address for the components' /metrics and /loglevel")
      ->capture_default_str();
  command
      ->add_option("--page", options->page,
                   "ADDRESS:PORT of the web page; port 0 picks a free one; none: no page")
      ->capture_default_str();
  command
      ->add_option("--max-requests-in-flight", options->max_requests_in_flight,
                   "Maximum number of concurrent requests, without watches; more get 429")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command
      ->add_option("--max-requests-per-second", options->max_requests_per_second,
                   "Maximum number of requests per second; more get 429; 0: no limit")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command->callback([options, command] {
    options->flags = command->remaining();
    options->serve_page = [options](kube::Client& client, kube::Executor& executor,
                                    const std::string& url) {
      return cli::ServePage(client, executor, {.listen = options->page, .name = url});
    };
    exit_code = cli::RunUp(*options);
  });
}

void AddUi(CLI::App& app) {
  auto options = std::make_shared<cli::UiOptions>();
  CLI::App* command =
      app.add_subcommand("ui", "Serve a web page that shows a cluster or a snapshot");
  AddClusterFlags(*command, options->cluster);
  command->add_option("-n,--namespace", options->ns,
                      "Namespace to show if you may not list all (default: the context's)");
  command->add_option("--snapshot", options->snapshot, "Show this scheduler snapshot (zip or JSON)")
      ->excludes("--kubeconfig")
      ->excludes("--context");
  command->add_option("--listen", options->listen, "ADDRESS:PORT; port 0 picks a free one")
      ->capture_default_str();
  command->add_flag("--open", options->open, "Open the page in the browser");
  command->callback([options] { exit_code = cli::RunUi(*options); });
}

void AddAskedFlags(CLI::App& command, cli::AskedFlags& asked) {
  AddClusterFlags(command, asked.cluster);
  command.add_option("--snapshot", asked.snapshot, "Ask a scheduler snapshot instead of a cluster");
  command.add_option("--config", asked.config,
                     "Scheduler configuration file (default: the snapshot's, or the built-in one)");
  command.add_option("--node-pool", asked.node_pool, "Node pool of the scheduler to ask");
  command.add_option("--now", asked.now, "Current time, RFC 3339");
}

void AddWhatIf(CLI::App& app) {
  auto options = std::make_shared<cli::WhatIfOptions>();
  CLI::App* command = app.add_subcommand(
      "whatif",
      "Say what would be placed, evicted and delayed if work were submitted or nodes changed.\n"
      "Exits with 0 if all submitted work would run, 1 if not, 2 if it cannot be said");
  command->add_option(
      "-f,--filename", options->files,
      "Work to submit: sets, Jobs, pods, PodGroups in YAML; - reads standard input");
  command->add_option("-n,--namespace", options->ns, "Namespace of work that names none");
  command->add_option("--cordon", options->request.cordon, "NODE becomes unschedulable");
  command->add_option("--drain", options->request.drain, "NODE is cordoned and its pods evicted");
  command->add_option("--fail", options->request.fail,
                      "Nodes with these labels fail, such as rack=r1");
  auto* count =
      command->add_option("--add-nodes", options->request.add_nodes, "Number of new nodes")
          ->check(CLI::Range(1, 10000));
  auto* like =
      command->add_option("--like", options->request.like, "NODE that new ones are copies of");
  count->needs(like);
  like->needs(count);
  command->add_option("--quota", options->request.quotas,
                      "Another quota of a queue: QUEUE=gpu:16,cpu:8,memory:64Gi");
  AddAskedFlags(*command, options->asked);
  AddFormatFlag(*command, options->format);
  command->callback([options] { exit_code = cli::RunWhatIf(*options); });
}

void AddEta(CLI::App& app) {
  auto options = std::make_shared<cli::EtaCommand>();
  CLI::App* command = app.add_subcommand(
      "eta", "Say when waiting work should start, who is ahead, and what that rests on");
  command
      ->add_option("target", options->target,
                   "NAME of the object or its owner, or set/NAME, gang/NAME, group/NAME, pod/NAME")
      ->required();
  command->add_option("-n,--namespace", options->ns, "Namespace (default: the context's)");
  AddAskedFlags(*command, options->asked);
  AddFormatFlag(*command, options->format);
  command->callback([options] { exit_code = cli::RunEta(*options); });
}

void AddReplay(CLI::App& app) {
  auto options = std::make_shared<cli::ReplayOptions>();
  CLI::App* command = app.add_subcommand(
      "replay",
      "Step through a scheduler's decision log, decide again and name the first difference.\n"
      "Exits with 0 if there is none, 1 if there is, 2 if the log is damaged");
  command->add_option("file", options->file, "Decision log (run scheduler --decision-log)")
      ->required();
  command->add_option("--config", options->config, "Compare with this scheduler configuration");
  command->add_option("--until", options->until, "Stop at this time, RFC 3339");
  command->add_option("--pod", options->pod, "Stop at the first decision about [NAMESPACE/]NAME");
  command->add_flag("--all", options->all, "Also show cycles that decided nothing");
  AddFormatFlag(*command, options->format);
  command->callback([options] { exit_code = cli::RunReplay(*options); });
}

void AddRun(CLI::App& app) {
  auto options = std::make_shared<cli::RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run components against a cluster");
  command->footer([] { return cli::ListComponents() + cli::ExplainComponentFlags(run_flags); });
  command->add_option("components", options->what, "Components to run")->required();
  AddServerFlags(*command, options->cluster);
  command->add_option("--config", options->config_file, "Configuration file of the operator");
  command->add_flag("--dry-run", options->dry_run, "Check the configuration and exit");
  command->add_flag("--without-backends", options->without_backends,
                    "Run the operator without backends; start them with run backend NAME");
  command->add_option("--webhook-url", options->webhook_url,
                      "Serve the operator's webhooks; API servers reach them at this URL");
  command->add_option("--webhook-service", options->webhook_service,
                      "Service under which the services' webhooks are registered");
  command->add_flag("--leader-elect", options->leader_elect, "Work only while holding a Lease");
  command->add_option("--lease-namespace", options->lease_namespace, "Namespace of the Lease")
      ->capture_default_str();
  command
      ->add_option("--admin-address", options->admin_address,
                   "Address for /metrics, /healthz, /readyz and /loglevel")
      ->capture_default_str();
  command->callback([&app, options] {
    options->flags = run_flags;
    options->log_level_given = app.count("--log-level") > 0;
    exit_code = cli::RunComponents(*options);
  });
}

// Where the command stands among the arguments; their number without one.
size_t FindCommand(const std::vector<std::string>& arguments) {
  size_t i = 0;
  while (i < arguments.size() && arguments[i].starts_with('-')) {
    i += arguments[i] == "--log-level" ? 2 : 1;
  }
  return std::min(i, arguments.size());
}

// The parser would say of a misspelt command only that one is required.
base::Status CheckCommand(const CLI::App& app, const std::vector<std::string>& arguments) {
  const size_t command = FindCommand(arguments);
  if (command == arguments.size()) return {};
  const auto is_it = [&](const CLI::App* each) { return each->get_name() == arguments[command]; };
  if (!app.get_subcommands(is_it).empty()) return {};
  return base::InvalidArgument(
      fmt::format("there is no command \"{}\"; coppice --help lists them", arguments[command]));
}

// `coppice help queue create` is `coppice queue create --help`.
std::vector<std::string> AsHelp(std::vector<std::string> arguments) {
  const size_t command = FindCommand(arguments);
  if (command == arguments.size() || arguments[command] != "help") return arguments;
  arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(command));
  arguments.emplace_back("--help");
  return arguments;
}

// kubectl runs a program called kubectl-coppice for `kubectl coppice`.
std::string ProgramName(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("kubectl-") ? "kubectl coppice" : "coppice";
}

// Grove's operator starts the program of its init container without a command.
std::vector<std::string> AsInitContainer(std::vector<std::string> arguments) {
  const bool is_it = !arguments.empty() &&
                     (arguments[0].starts_with("--podcliques") || arguments[0].starts_with("-p"));
  if (is_it) arguments.insert(arguments.begin(), "initc");
  return arguments;
}

// `run` also takes the flags of KAI's processes, which are the components' to read: everything
// after it but the components is kept for them.
base::Result<std::vector<std::string>> KeepRunFlags(std::vector<std::string> arguments) {
  const size_t run = FindCommand(arguments);
  if (run >= arguments.size() || arguments[run] != "run") return arguments;
  std::vector<std::string> rest(arguments.begin() + run + 1, arguments.end());
  for (const std::string& argument : rest) {
    if (argument != "-h" && argument != "--help") continue;
    run_flags = std::move(rest);
    return arguments;
  }
  COPPICE_ASSIGN(const std::vector<std::string> components, services::FindComponents(rest));
  run_flags = std::move(rest);
  arguments.resize(run + 1);
  arguments.insert(arguments.end(), components.begin(), components.end());
  return arguments;
}

void AddSimulate(CLI::App& app) {
  auto options = std::make_shared<cli::SimulateOptions>();
  CLI::App* command = app.add_subcommand("simulate", "Run the scheduling engine on a snapshot");
  command->add_option("file", options->file, "Scheduler snapshot (zip or JSON)")->required();
  command->add_option("--actions", options->actions, "Actions to run, comma-separated");
  command->add_option("--config", options->config, "Scheduler configuration file");
  command->add_option("--now", options->now, "Current time for the simulation, RFC 3339");
  command->add_option("--cycles", options->cycles, "Number of cycles")
      ->capture_default_str()
      ->check(CLI::Range(1, 10000));
  command->add_option("--explain", options->explain, "Instead, explain why this PodGroup waits");
  command->add_flag("--durations", options->durations, "Also print how long each action took");
  AddFormatFlag(*command, options->format);
  command->callback([options] { exit_code = cli::RunSimulate(*options); });
}

void AddShareSimulators(CLI::App& app) {
  auto share = std::make_shared<cli::FairShareOptions>();
  CLI::App* fair =
      app.add_subcommand("fairshare-simulator", "Serve fair shares of queues over HTTP");
  fair->add_option("--port", share->port, "Port on 127.0.0.1; 0 picks a free one")
      ->capture_default_str();
  fair->add_flag("--enable-cors", share->enable_cors, "Allow requests from other origins");
  fair->callback([share] { exit_code = cli::RunFairShareSimulator(*share); });
  auto time = std::make_shared<cli::TimeSimulationOptions>();
  CLI::App* timed = app.add_subcommand("time-based-fairshare-simulator",
                                       "Simulate how fair shares change with past usage (CSV)");
  timed->add_option("--input", time->input, "YAML file; - reads standard input")
      ->capture_default_str();
  timed->add_option("--output", time->output, "CSV file; - writes standard output")
      ->capture_default_str();
  timed->callback([time] { exit_code = cli::RunTimeSimulator(*time); });
}

void AddRender(CLI::App& app) {
  auto flags = std::make_shared<cli::RenderFlags>();
  CLI::App* command = app.add_subcommand("render", "Print the objects that a set becomes");
  command
      ->add_option("-f,--filename", flags->file,
                   "File with PodCliqueSets and other objects of the cluster; - reads stdin")
      ->required();
  command->add_option("--backend", flags->backend, "Backend to render for, instead of the set's");
  command->add_option("--diff", flags->diff, "Backend to compare with; print the difference");
  command->add_option("--config", flags->config_file, "Configuration file of the operator");
  command
      ->add_option("--kubernetes", flags->kubernetes,
                   "Release of the cluster: 1.35, 1.36, 1.37 or 1.37+CPG")
      ->capture_default_str()
      ->check(CLI::IsMember({"1.35", "1.36", "1.37", "1.37+CPG"}));
  command->callback([flags] { exit_code = cli::RunRender(*flags); });
}

void AddDoctor(CLI::App& app) {
  auto options = std::make_shared<cli::DoctorOptions>();
  CLI::App* command =
      app.add_subcommand("doctor", "Report what a cluster serves and which backends work there");
  AddClusterFlags(*command, options->cluster);
  command->add_option("--config", options->config_file, "Configuration file of the operator");
  AddFormatFlag(*command, options->format);
  command->callback([options] { exit_code = cli::RunDoctor(*options); });
}

void AddRbac(CLI::App& app) {
  auto options = std::make_shared<cli::RbacOptions>();
  CLI::App* command = app.add_subcommand("rbac", "Print a ClusterRole for the enabled backends");
  command->add_option("backends", options->backends, "Only these backends");
  command->add_option("--config", options->config_file, "Configuration file of the operator");
  command->add_flag("--for-chart", options->for_chart,
                    "Print the rules of every backend by name, as deploy/chart keeps them");
  command->callback([options] { exit_code = cli::RunRbac(*options); });
}

void AddOldGangs(CLI::App& app) {
  auto options = std::make_shared<cli::OldGangsOptions>();
  CLI::App* command = app.add_subcommand(
      "old-gangs", "List our objects in a version of Kubernetes' gang API, before an upgrade");
  command->add_option("version", options->version, "v1alpha1, v1alpha2 or v1alpha3")
      ->required()
      ->check(CLI::IsMember({"v1alpha1", "v1alpha2", "v1alpha3"}));
  command->add_flag("--delete", options->remove,
                    "Delete them; stop the backend first, or it recreates them");
  AddClusterFlags(*command, options->cluster);
  command->callback([options] { exit_code = cli::RunOldGangs(*options); });
}

void AddSetup(CLI::App& app) {
  auto options = std::make_shared<cli::SetupOptions>();
  CLI::App* command =
      app.add_subcommand("setup", "Run one installation step, as the chart's hooks do");
  command
      ->add_option("step", options->step,
                   "crds: apply CRDs; topologies: copy Kueue's; config: apply the Config in a "
                   "file; cleanup: delete what the platform operator created")
      ->required()
      ->check(CLI::IsMember({"crds", "topologies", "config", "cleanup"}));
  command->add_option("-f,--filename", options->file, "File with the Config; - reads stdin");
  command->add_option("-n,--namespace", options->ns, "Namespace for cleanup")
      ->default_val("kai-scheduler");
  AddClusterFlags(*command, options->cluster);
  command->callback([options] { exit_code = cli::RunSetup(*options); });
}

void AddInitc(CLI::App& app) {
  auto options = std::make_shared<cli::InitcOptions>();
  CLI::App* command =
      app.add_subcommand("initc", "Wait for other cliques to start; runs as an init container");
  command->add_option("-p,--podcliques", options->pod_cliques, "NAME:COUNT; repeatable");
  command
      ->add_option("--pod-info", options->pod_info_dir,
                   "Folder with the files namespace and podgangname")
      ->capture_default_str();
  AddClusterFlags(*command, options->cluster);
  command->callback([options] { exit_code = cli::RunInitc(*options); });
}

void AddPrintCommands(CLI::App& app) {
  auto cluster = std::make_shared<cli::ClusterFlags>();
  auto install = std::make_shared<bool>(false);
  CLI::App* crds = app.add_subcommand("crds", "Print or install the CustomResourceDefinitions");
  crds->add_flag("--install", *install, "Apply them to the cluster instead of printing");
  auto whose = std::make_shared<std::string>("all");
  crds->add_option("--of", *whose, "grove, kai or all")
      ->capture_default_str()
      ->check(CLI::IsMember({"grove", "kai", "all"}));
  AddClusterFlags(*crds, *cluster);
  auto format = std::make_shared<cli::Format>(cli::Format::kYaml);
  AddFormatFlag(*crds, *format);
  crds->callback([=] {
    const cli::CrdChoice choice{.grove = *whose != "kai", .kai = *whose != "grove"};
    exit_code = *install ? cli::RunInstallCrds(*cluster, choice) : cli::RunCrds(choice, *format);
  });
  auto paths = std::make_shared<std::pair<std::string, std::string>>();
  CLI::App* backup =
      app.add_subcommand("backup", "Copy a server's data to a file, even while it runs");
  backup->add_option("dir", paths->first, "Folder passed to up --data")->required();
  backup->add_option("file", paths->second, "File to write")->required();
  backup->callback([paths] { exit_code = cli::RunBackup(paths->first, paths->second); });
  app.add_subcommand("version", "Print the version")->callback([] {
    exit_code = cli::RunVersion();
  });
}

std::vector<std::string> KnownWords(const CLI::App& command) {
  const std::string& name = command.get_name();
  if (name == "completion") return {"bash", "zsh", "fish"};
  if (name == "setup") return {"crds", "topologies", "config", "cleanup"};
  if (name == "top") return {"nodes", "racks"};
  if (name == "queue") return {"create", "set", "hold", "resume", "delete"};
  if (name == "old-gangs") return {"v1alpha1", "v1alpha2", "v1alpha3"};
  if (name != "run") return {};
  std::vector<std::string> words = cli::RunnableComponents();
  for (const char* other : {"backend", "reservation", "scalingpod"}) words.push_back(other);
  return words;
}

bool TakesObjects(std::string_view command) {
  return command == "why" || command == "tree" || command == "wait" || command == "history" ||
         command == "queue";
}

// Commands that run components take these beside their own.
std::vector<services::FlagSet::Entry> ComponentFlags(const CLI::App& command) {
  const std::string& name = command.get_name();
  if (name != "run" && name != "up") return {};
  return services::ListComponentFlags(cli::RunnableComponents());
}

cli::CommandShape ShapeOf(const CLI::App& command) {
  cli::CommandShape shape{.name = command.get_name(),
                          .about = command.get_description(),
                          .words = KnownWords(command),
                          .takes_objects = TakesObjects(command.get_name())};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty()) continue;
    shape.flags.push_back({"--" + option->get_lnames().front(), option->get_description(),
                           option->get_items_expected_max() > 0});
  }
  for (const services::FlagSet::Entry& flag : ComponentFlags(command)) {
    const std::string about(services::HelpOfFlag(flag.name));
    shape.flags.push_back({"--" + flag.name, about, !flag.form.empty()});
  }
  return shape;
}

void AddCompletion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a shell's completion script");
  command->add_option("shell", *shell, "bash, zsh or fish")->required();
  command->footer("To use it: source <(coppice completion bash)");
  command->callback([shell, &app] {
    std::vector<cli::CommandShape> commands;
    for (const CLI::App* each : app.get_subcommands({})) commands.push_back(ShapeOf(*each));
    const auto script = cli::CompletionScript(*shell, commands);
    if (script) fmt::print("{}", *script);
    if (!script) exit_code = cli::Fail(script.error());
  });
}

std::string FailureMessage(const CLI::App* app, const CLI::Error& error) {
  std::string command = app->get_name();
  for (const CLI::App* parsed : app->get_subcommands()) command += " " + parsed->get_name();
  return fmt::format("error: {}\n{} --help says more\n", error.what(), command);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Coppice runs gangs of pods on Kubernetes."};
  app.name(ProgramName(argv[0]));
  app.require_subcommand(1);
  app.set_version_flag("--version", cli::VersionText(), "Print the version and exit");
  app.failure_message(FailureMessage);
  app.add_option_function<std::string>(
      "--log-level",
      [](const std::string& text) {
        const auto level = base::ParseLogLevel(text);
        if (!level) throw CLI::ValidationError(level.error().message());
        base::SetLogLevel(*level);
      },
      "debug, info, warn or error");
  AddDemo(app);
  AddUp(app);
  AddRun(app);
  AddViewCommands(app, exit_code);
  AddUi(app);
  AddWhatIf(app);
  AddEta(app);
  AddReplay(app);
  AddSimulate(app);
  AddShareSimulators(app);
  AddRender(app);
  AddDoctor(app);
  AddRbac(app);
  AddOldGangs(app);
  AddSetup(app);
  AddInitc(app);
  AddPrintCommands(app);
  AddCompletion(app);
  const std::vector<std::string> given = AsHelp(AsInitContainer({argv + 1, argv + argc}));
  if (!given.empty() && given[0] == "__names") {
    return cli::RunCompletionNames({given.begin() + 1, given.end()});
  }
  if (const base::Status known = CheckCommand(app, given); !known) {
    cli::Fail(known.error());
    return kUsageError;
  }
  auto arguments = KeepRunFlags(given);
  if (!arguments) return cli::Fail(arguments.error());
  std::reverse(arguments->begin(), arguments->end());  // As CLI11 takes them.
  try {
    app.parse(*std::move(arguments));
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;
  }
  return exit_code;
}
