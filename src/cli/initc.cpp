#include "cli/initc.h"

#include <signal.h>
#include <unistd.h>

#include "api/well_known.h"
#include "base/log.h"
#include "cli/common/fail.h"
#include "cli/common/files.h"
#include "cli/common/wait.h"
#include "kube/executor/thread_executor.h"
#include "kube/process/manager.h"
#include "operator/initc/startup_gate.h"
#include "operator/runtime/labels.h"

namespace coppice::cli {
namespace {

using operators::initc::StartupGate;

constexpr auto kSayAgainAfter = std::chrono::seconds(30);
constexpr auto kAskEvery =
    std::chrono::milliseconds(100);  // Many pods of a node may wait for a long time.
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

struct Gang {
  std::string ns, name;
};

// The informer retries forever and silently, so check here whether it can succeed.
base::Status CanListPods(kube::Client& client, const Gang& gang) {
  const auto listed = client.List(
      api::kPods, {.ns = gang.ns,
                   .label_selector = std::string(api::labels::kPodGang) + "=" + gang.name,
                   .limit = 1});
  return listed ? base::Status() : listed.error();
}

void SayWhatIsMissing(kube::Client& client, const Gang& gang, const std::string& missing) {
  if (const base::Status seen = CanListPods(client, gang); !seen) {
    base::LogWarn("cannot list the pods of the gang; trying again",
                  {{"gang", gang.ns + "/" + gang.name}, {"error", seen.error().message()}});
    return;
  }
  base::LogInfo("waiting for other cliques",
                {{"gang", gang.ns + "/" + gang.name}, {"missing", missing}});
}

// Logs what it waits for whenever that changes, and from time to time that it still waits.
bool WaitFor(const StartupGate& gate, const Gang& gang, kube::Client& client,
             kube::Executor& executor) {
  while (signals == 0 && !gate.Open()) {
    const std::string missing = gate.Missing();
    SayWhatIsMissing(client, gang, missing);
    const auto changed = [&] { return gate.Missing() != missing || signals != 0; };
    WaitUntil(executor, kSayAgainAfter, changed, kAskEvery);
  }
  if (gate.Open()) base::LogInfo("all cliques to start after are ready");
  return gate.Open();
}

base::Result<bool> Wait(const InitcOptions& options) {
  COPPICE_ASSIGN(auto requirements, operators::initc::ParseRequirements(options.pod_cliques));
  if (requirements.empty()) return true;
  Gang gang;
  COPPICE_ASSIGN(gang.ns, ReadLine(options.pod_info_dir + "/namespace"));
  COPPICE_ASSIGN(gang.name, ReadLine(options.pod_info_dir + "/podgangname"));
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const std::unique_ptr<kube::Client> client, Connect(options.cluster, executor));
  const std::unique_ptr<kube::Manager> manager = kube::Manager::Make(*client, executor);
  const StartupGate gate(*manager, gang.ns, gang.name, std::move(requirements));
  manager->Start();
  const bool open = WaitFor(gate, gang, *client, executor);
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
