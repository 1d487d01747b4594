#include "cli/run/processes_testing.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "cli/common/connect.h"
#include "kube/cache/cache.h"

extern char** environ;

namespace coppice::cli {
namespace {

// The build puts all programs into one directory.
std::string Program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "coppice").string();
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<std::string> words = {Program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int pipe_ends[2];
  COPPICE_CHECK(pipe2(pipe_ends, O_CLOEXEC) == 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int failed = posix_spawn(&pid_, words[0].c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  output_ = pipe_ends[0];
  COPPICE_CHECK(failed == 0);
}

bool Process::WaitForLine(const std::string& text) { return FindLine(text).has_value(); }

std::string Process::RestOfLine(const std::string& text) {
  return FindLine(text).value_or(text).substr(text.size());
}

std::optional<std::string> Process::FindLine(const std::string& text) {
  std::string line;
  for (char c = 0; read(output_, &c, 1) == 1;) {
    if (c != '\n') {
      line += c;
      continue;
    }
    if (line.starts_with(text)) return line;
    line.clear();
  }
  return std::nullopt;
}

std::string Process::ReadAll() {
  std::string all;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(output_, buffer, sizeof buffer)) > 0;) all.append(buffer, got);
  return all;
}

int Process::Wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Process::Kill() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (output_ >= 0) close(output_);
  pid_ = output_ = -1;
}

Printed RunToTheEnd(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  Process process(arguments, folder / "errors");
  Printed printed{.text = process.ReadAll(), .errors = "", .code = process.Wait()};
  std::ifstream errors(folder / "errors");
  printed.errors.assign(std::istreambuf_iterator<char>(errors), {});
  return printed;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "coppice-XXXXXX").string();
  COPPICE_CHECK(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ClusterWatch::ClusterWatch(const std::string& kubeconfig,
                           const std::vector<api::Resource>& resources) {
  auto client = Connect({.kubeconfig = kubeconfig, .context = ""}, executor_);
  COPPICE_CHECK(client.ok());
  client_ = *std::move(client);
  manager_ = kube::Manager::Make(*client_, executor_);
  for (const api::Resource& resource : resources) {
    manager_->runtime().cache.InformerFor(resource).AddHandler([this](const kube::Change&) {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
  }
  manager_->Start();
}

ClusterWatch::~ClusterWatch() { manager_->Stop(); }

std::vector<json::Value> ClusterWatch::List(const api::Resource& resource) {
  return manager_->runtime().cache.InformerFor(resource).List();
}

bool ClusterWatch::Wait(const std::function<bool()>& wanted) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, std::chrono::minutes(1), wanted);
}

}  // namespace coppice::cli
