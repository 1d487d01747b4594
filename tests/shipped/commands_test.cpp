// The commands of README.md and docs/, run as they stand there: on the cluster that the README
// starts, with the files that it applies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/well_known.h"
#include "cli/run/processes_testing.h"
#include "installation_testing.h"
#include "kube/object.h"
#include "source_dir.h"

namespace coppice::packaging {
namespace {

using json::Value;
using testing::HasSubstr;

// Lines of code blocks, without what follows a #.
std::vector<std::string> CommandsIn(const std::string& path) {
  std::ifstream file(COPPICE_SOURCE_DIR "/" + path);
  std::vector<std::string> commands;
  bool in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) in_block = !in_block;
    if (const size_t comment = line.find(" #"); comment != std::string::npos) line.resize(comment);
    while (line.ends_with(' ')) line.pop_back();
    if (in_block && !line.starts_with("```") && !line.empty()) commands.push_back(line);
  }
  return commands;
}

std::vector<std::string> Words(const std::string& command) {
  std::istringstream text(command);
  return {std::istream_iterator<std::string>(text), {}};
}

// "build/coppice why SET": something to be filled in, or a variable of the shell.
bool HasPlaceholder(const std::string& command) {
  static const RE2 kPlaceholder(R"([$<>|]|…|\b[A-Z]{2,}\b|backup\.db)");
  return RE2::PartialMatch(command, kPlaceholder);
}

// The arguments of our program in this line; empty for other programs.
std::vector<std::string> Ours(const std::string& command) {
  std::vector<std::string> words = Words(command);
  if (words.empty() || (words[0] != "build/coppice" && words[0] != "coppice")) return {};
  words.erase(words.begin());
  return words;
}

class Commands : public ::testing::Test {
 protected:
  // As the README starts it, but for where it listens and keeps its data.
  void Up(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--in-memory", "--listen", "127.0.0.1:0",
                                       "--write-kubeconfig", folder_ / "kubeconfig"});
    up_ = std::make_unique<cli::Process>(arguments, folder_ / "up.log");
    ASSERT_TRUE(up_->WaitForLine("Kubernetes API at"));
    cluster_ = std::make_unique<cli::ClusterWatch>(
        folder_ / "kubeconfig",
        std::vector<api::Resource>{api::kPods, api::kPodGangs, api::kPodCliqueSets});
  }

  void Apply(const std::string& path) {
    for (const Value& object : ReadDocuments(path)) {
      ASSERT_NO_FATAL_FAILURE(ApplyTo(cluster_->client(), object)) << path;
    }
  }

  void Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--kubeconfig", folder_ / "kubeconfig"});
    const cli::Printed printed = cli::RunToTheEnd(arguments);
    EXPECT_EQ(printed.code, 0) << fmt::format("{}", fmt::join(arguments, " ")) << "\n"
                               << printed.errors;
    EXPECT_FALSE(printed.text.empty()) << fmt::format("{}", fmt::join(arguments, " "));
  }

  // kubectl apply -f FILE, and our own commands.
  void Follow(const std::string& command) {
    const std::vector<std::string> words = Words(command);
    if (words[0] == "kubectl" && words[1] == "apply") return Apply(words.at(3));
    const std::vector<std::string> ours = Ours(command);
    if (ours.empty() || HasPlaceholder(command)) return;
    if (ours[0] == "up") return Up(ours);
    if (cluster_ != nullptr) Run(ours);
  }

  // Pods of a set that run.
  size_t Running(const std::string& set) {
    size_t running = 0;
    for (const Value& pod : cluster_->List(api::kPods)) {
      running += kube::Label(pod, "app.kubernetes.io/part-of") == set &&
                 pod["status"]["phase"].AsString() == "Running";
    }
    return running;
  }

  cli::TemporaryFolder folder_;
  std::unique_ptr<cli::Process> up_;
  std::unique_ptr<cli::ClusterWatch> cluster_;
};

TEST_F(Commands, OfTheReadmeDoWhatItSays) {
  std::vector<std::string> commands = CommandsIn("README.md");
  // What is for a cluster of one's own comes last, and is run on this one.
  for (const std::string& command : commands) ASSERT_NO_FATAL_FAILURE(Follow(command)) << command;
  ASSERT_NE(cluster_, nullptr);
  EXPECT_TRUE(cluster_->Wait([&] { return Running("chat") == 16 && Running("train") == 4; }));
}

// Sets of any scheduler, and of none, on the cluster of the README: those that it has run.
TEST_F(Commands, ExamplesRunWhereTheirSchedulerIs) {
  ASSERT_NO_FATAL_FAILURE(Up({"up", "--nodes", "16", "--gpus", "8", "--topology", "2x4"}));
  for (const char* name : {"kai", "default", "podgang", "volcano", "yunikorn",
                           "samples/environment", "samples/start_diamond"}) {
    ASSERT_NO_FATAL_FAILURE(Apply(fmt::format("examples/{}.yaml", name)));
  }
  const std::string unnamed(kube::Name(ReadDocuments("examples/samples/environment.yaml").at(0)));
  for (const std::string& set : {std::string("train-kai"), std::string("train-default"), unnamed}) {
    EXPECT_TRUE(cluster_->Wait([&] { return Running(set) > 0; })) << set;
  }
  std::map<std::string, std::string> backend_of;
  for (const Value& gang : cluster_->List(api::kPodGangs)) {
    backend_of[std::string(kube::Label(gang, "app.kubernetes.io/part-of"))] =
        kube::Label(gang, "grove.io/scheduler-backend");
  }
  EXPECT_EQ(backend_of[unnamed], "default");
  EXPECT_EQ(backend_of["train-default"], "default");
  EXPECT_EQ(backend_of["train-kai"], "kai");
  EXPECT_EQ(backend_of["train-volcano"], "volcano");
}

// Beside `up`, with nothing but its kubeconfig: the operator and its webhooks find a namespace for
// their Lease and their Secret.
TEST_F(Commands, TheOperatorRunsBesideUp) {
  ASSERT_NO_FATAL_FAILURE(Up({"up", "--nodes", "2", "--components", "nodes"}));
  const cli::Process beside({"run", "operator", "--leader-elect", "--webhook-url",
                             "https://127.0.0.1:0", "--kubeconfig", folder_ / "kubeconfig"},
                            folder_ / "operator.log");
  ASSERT_NO_FATAL_FAILURE(Apply("examples/kai.yaml"));
  EXPECT_TRUE(cluster_->Wait([&] { return !cluster_->List(api::kPodGangs).empty(); }));
  EXPECT_TRUE(
      cluster_->client().Get(api::kSecrets, {"coppice-system", "grove-webhook-server-cert"}))
      << "the webhooks' certificate";
}

// Those with something to be filled in: at least the command is one.
TEST_F(Commands, OfTheDocumentsExist) {
  size_t found = 0;
  const std::filesystem::path root(COPPICE_SOURCE_DIR);
  for (const auto& file : std::filesystem::recursive_directory_iterator(root / "docs")) {
    if (file.path().extension() != ".md") continue;
    if (file.path().stem() == "flags") continue;  // What --help prints.
    for (const std::string& command : CommandsIn(file.path().lexically_relative(root))) {
      const std::vector<std::string> ours = Ours(command);
      if (ours.empty()) continue;
      ++found;
      EXPECT_EQ(cli::RunToTheEnd({ours[0], "--help"}).code, 0) << command;
    }
  }
  EXPECT_GT(found, 5u);
}

}  // namespace
}  // namespace coppice::packaging
