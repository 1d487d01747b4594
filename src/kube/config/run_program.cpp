#include "kube/config/run_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace coppice::kube {
namespace {

constexpr size_t kMaxOutput = 1 << 20;

std::vector<std::string> EnvironmentWith(const std::map<std::string, std::string>& added) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!added.contains(text.substr(0, text.find('=')))) entries.push_back(text);
  }
  for (const auto& [name, value] : added) entries.push_back(name + "=" + value);
  return entries;
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

base::Result<pid_t> Spawn(const std::string& command, const std::vector<std::string>& args,
                          const std::map<std::string, std::string>& env, int output) {
  std::vector<std::string> words{command};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<std::string> entries = EnvironmentWith(env);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, command.c_str(), &actions, nullptr, Pointers(words).data(),
                                 Pointers(entries).data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return base::Unavailable("cannot run " + command + ": " + std::strerror(error));
  return pid;
}

// What comes through the pipe until it ends.
base::Result<std::string> ReadPipe(int fd, std::chrono::milliseconds timeout) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  std::string text;
  while (text.size() <= kMaxOutput) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waiting{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = left.count() > 0 ? poll(&waiting, 1, static_cast<int>(left.count())) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return base::Error(base::ErrorCode::kTimeout, "it did not finish in time");
    char buffer[4096];
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
  return base::Error(base::ErrorCode::kTooLarge, "it wrote too much");
}

}  // namespace

base::Result<std::string> RunProgram(const std::string& command,
                                     const std::vector<std::string>& args,
                                     const std::map<std::string, std::string>& env,
                                     std::chrono::milliseconds timeout) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return base::Unavailable("cannot make a pipe");
  const auto pid = Spawn(command, args, env, ends[1]);
  close(ends[1]);
  if (!pid) {
    close(ends[0]);
    return pid.error();
  }
  auto output = ReadPipe(ends[0], timeout);
  close(ends[0]);
  if (!output) kill(*pid, SIGKILL);
  int status = 0;
  while (waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!output) return output.error().During("running " + command);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return base::Unavailable(fmt::format("{} failed with status {}", command,
                                         WIFEXITED(status) ? WEXITSTATUS(status) : -1));
  }
  return output;
}

}  // namespace coppice::kube
