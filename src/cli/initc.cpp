#include "cli/initc.h"

#include <signal.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/files.h"
#include "cli/views.h"
#include "cli/wait.h"
#include "kube/manager.h"
#include "kube/thread_executor.h"
#include "operator/initc/startup_gate.h"

namespace coppice::cli {
namespace {

using operators::initc::StartupGate;

constexpr auto kSayAgainAfter = std::chrono::seconds(30);
volatile sig_atomic_t signals = 0;

void OnSignal(int) {
  signals = signals + 1;
  if (signals > 1) _exit(1);
}

base::Result<std::string> ReadLine(const std::string& path) {
  COPPICE_ASSIGN(std::string text, ReadFile(path));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.empty()) return base::InvalidArgument(path + " is empty");
  return text;
}

bool WaitFor(const StartupGate& gate, kube::Executor& executor) {
  while (signals == 0) {
    if (WaitUntil(executor, kSayAgainAfter, [&] { return gate.Open() || signals != 0; })) break;
    base::LogInfo("waiting for other cliques", {{"missing", gate.Missing()}});
  }
  return gate.Open();
}

base::Result<bool> Wait(const InitcOptions& options) {
  COPPICE_ASSIGN(auto requirements, operators::initc::ParseRequirements(options.pod_cliques));
  if (requirements.empty()) return true;
  COPPICE_ASSIGN(const std::string ns, ReadLine(options.pod_info_dir + "/namespace"));
  COPPICE_ASSIGN(const std::string gang, ReadLine(options.pod_info_dir + "/podgangname"));
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const std::unique_ptr<kube::Client> client, Connect(options.cluster, executor));
  const std::unique_ptr<kube::Manager> manager = kube::Manager::Make(*client, executor);
  const StartupGate gate(*manager, ns, gang, std::move(requirements));
  manager->Start();
  const bool open = WaitFor(gate, executor);
  manager->Stop();
  return open;
}

}  // namespace

int RunInitc(const InitcOptions& options) {
  signal(SIGTERM, OnSignal);
  signal(SIGINT, OnSignal);
  const auto open = Wait(options);
  if (!open) return Fail(open.error());
  return *open ? 0 : 1;
}

}  // namespace coppice::cli
