#include "cli/answers/live.h"

#include "cli/common/wait.h"
#include "kube/executor/thread_executor.h"

namespace coppice::cli {
namespace {

constexpr base::Duration kReadLimit = std::chrono::seconds(60);

}  // namespace

base::Status AskCluster(const AskedFlags& flags,
                        const std::function<base::Status(AskedCluster&)>& ask) {
  if (!flags.snapshot.empty()) {
    COPPICE_ASSIGN(const auto cluster, AskedCluster::FromSnapshot(flags));
    return ask(*cluster);
  }
  kube::ThreadExecutor executor;
  COPPICE_ASSIGN(const auto client, Connect(flags.cluster, executor));
  COPPICE_ASSIGN(
      const auto cluster,
      AskedCluster::FromClient(*client, executor, flags, [&](const std::function<bool()>& done) {
        return WaitUntil(executor, kReadLimit, done);
      }));
  return ask(*cluster);
}

}  // namespace coppice::cli
