#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "base/check.h"

extern char** environ;

namespace coppice::cli {
namespace {

// The build puts all programs into one directory.
std::string Program() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "coppice").string();
}

// One `coppice up`, stopped by the destructor.
class Up {
 public:
  explicit Up(int64_t nodes) : kubeconfig_(fmt::format("/tmp/coppice-startup-{}", getpid())) {
    std::vector<std::string> words = {Program(),
                                      "up",
                                      "--nodes",
                                      std::to_string(nodes),
                                      "--listen",
                                      "127.0.0.1:0",
                                      "--write-kubeconfig",
                                      kubeconfig_};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    int ends[2];
    COPPICE_CHECK(pipe2(ends, O_CLOEXEC) == 0);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    COPPICE_CHECK(posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environ) == 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    output_ = ends[0];
  }
  ~Up() {
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
    close(output_);
    std::filesystem::remove(kubeconfig_);
  }
  Up(const Up&) = delete;
  Up& operator=(const Up&) = delete;

  // It prints its address as soon as /readyz succeeds.
  bool WaitUntilReady() const {
    char c;
    return read(output_, &c, 1) == 1;
  }

 private:
  std::string kubeconfig_;
  int pid_ = -1;
  int output_ = -1;
};

// The time from starting the program with all components and this many simulated nodes until it is
// ready.
void UpUntilReady(benchmark::State& state) {
  for (auto _ : state) {
    auto up = std::make_unique<Up>(state.range(0));
    if (!up->WaitUntilReady()) state.SkipWithError("it ended");
    state.PauseTiming();
    up.reset();
    state.ResumeTiming();
  }
}
BENCHMARK(UpUntilReady)
    ->Arg(4)
    ->Arg(5000)
    ->Iterations(5)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace coppice::cli
