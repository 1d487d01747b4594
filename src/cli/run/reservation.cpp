#include "cli/run/reservation.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "base/log.h"
#include "cli/common/fail.h"
#include "cli/common/wait.h"
#include "cli/run/address.h"
#include "http/server/admin_server.h"
#include "kube/executor/thread_executor.h"
#include "services/common/flags.h"
#include "services/reservation/reservation.h"

namespace coppice::cli {
namespace {

struct ReservationFlags {
  bool print = false;
  bool simulated = false;
  std::string metrics_address;
  ClusterFlags cluster;
};

base::Result<ReservationFlags> ReadFlags(const std::vector<std::string>& arguments) {
  ReservationFlags flags;
  services::FlagSet set;
  set.Switch("print", flags.print)
      .Switch("simulated", flags.simulated)
      .Text("metrics-bind-address", flags.metrics_address)
      .Text("kubeconfig", flags.cluster.kubeconfig)
      .Text("context", flags.cluster.context);
  std::vector<std::string> words;
  COPPICE_TRY(set.Parse(arguments, &words));
  if (flags.metrics_address.empty() && std::getenv("KUBERNETES_SERVICE_HOST") != nullptr) {
    flags.metrics_address = ":8080";
  }
  return flags;
}

base::Result<std::string> FromEnvironment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == 0) {
    return base::InvalidArgument(fmt::format("the environment variable {} is not set", name));
  }
  return std::string(value);
}

base::Status PrintGpus(const services::reservation::ListGpus& list) {
  COPPICE_ASSIGN(const auto gpus, list());
  for (const services::reservation::Gpu& gpu : gpus) {
    fmt::print("{}\n", services::reservation::Describe(gpu));
  }
  return {};
}

services::reservation::ListGpus Lister(bool simulated, const std::string& seed) {
  if (!simulated) return services::reservation::ListNvidiaGpus;
  return [seed] {
    using services::reservation::Gpu;
    auto real = services::reservation::ListNvidiaGpus();
    if (real) return real;
    return base::Result<std::vector<Gpu>>(
        std::vector<Gpu>{services::reservation::SimulatedGpu(seed)});
  };
}

base::Status Report(const ReservationFlags& flags) {
  COPPICE_ASSIGN(const std::string ns, FromEnvironment("POD_NAMESPACE"));
  COPPICE_ASSIGN(const std::string name, FromEnvironment("POD_NAME"));
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const auto client, Connect(flags.cluster, executor));
  COPPICE_TRY(services::reservation::ReportGpu(*client, {ns, name},
                                               Lister(flags.simulated, ns + "/" + name)));
  base::LogInfo("the GPU is reported", {{"pod", ns + "/" + name}});
  return {};
}

}  // namespace

int RunReservation(const RunOptions& options) {
  const auto flags = ReadFlags(options.flags);
  if (!flags) return Fail(flags.error());
  if (flags->print) {
    const base::Status printed = PrintGpus(Lister(flags->simulated, "this machine"));
    return printed ? 0 : Fail(printed.error());
  }
  BlockSignals();
  if (const base::Status done = Report(*flags); !done) return Fail(done.error());
  std::unique_ptr<http::AdminServer> admin;
  if (!flags->metrics_address.empty()) {
    const auto address = ParseAddress(flags->metrics_address);
    if (!address) return Fail(address.error());
    auto started = http::AdminServer::Start({.address = address->host, .port = address->port});
    if (!started) return Fail(started.error());
    admin = *std::move(started);
  }
  WaitForSignal();
  return 0;
}

}  // namespace coppice::cli
