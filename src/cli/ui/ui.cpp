#include "cli/ui/ui.h"

#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdio>

#include "cli/common/files.h"
#include "cli/common/wait.h"
#include "cli/show/views.h"
#include "cli/ui/page.h"
#include "kube/executor/thread_executor.h"
#include "page/cluster/objects_client.h"

namespace coppice::cli {
namespace {

// Where a page's objects come from.
struct PageSource {
  std::unique_ptr<kube::Client> client;
  ServedPage page;
};

base::Result<PageSource> FromCluster(const UiOptions& options, kube::Executor& executor) {
  PageSource source;
  COPPICE_ASSIGN(source.client, Connect(options.cluster, executor));
  COPPICE_ASSIGN(source.page.name, ServerHost(options.cluster, executor));
  source.page.ns = options.ns;
  if (options.ns.empty()) {
    COPPICE_ASSIGN(source.page.ns, CurrentNamespace(options.cluster, executor));
  }
  return source;
}

base::Result<PageSource> FromSnapshot(const std::string& file, kube::Executor& executor) {
  COPPICE_ASSIGN(const std::string bytes, ReadFile(file));
  auto snapshot = services::scheduler::ReadSnapshot(bytes);
  if (!snapshot) {
    return base::InvalidArgument(
        fmt::format("{}: {}; --snapshot takes a complete file from the scheduler's /get-snapshot, "
                    "a zip or the snapshot.json in it",
                    file, snapshot.error().message()));
  }
  PageSource source;
  source.client = std::make_unique<page::ObjectsClient>(page::ObjectsOf(*snapshot), executor);
  source.page.kind = "snapshot";
  source.page.name = file;
  source.page.snapshot = *std::move(snapshot);
  return source;
}

// Best effort: the URL is printed anyway.
void OpenInBrowser(const std::string& url) {
  std::string program = "xdg-open", argument = url;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t pid = 0;
  if (posix_spawnp(&pid, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
    fmt::print("No browser could be started (xdg-open is missing): open the URL yourself.\n");
  }
}

base::Status Serve(const UiOptions& options, kube::Executor& executor) {
  COPPICE_ASSIGN(PageSource source, options.snapshot.empty()
                                        ? FromCluster(options, executor)
                                        : FromSnapshot(options.snapshot, executor));
  source.page.listen = options.listen;
  COPPICE_ASSIGN(const auto page, ServePage(*source.client, executor, source.page));
  fmt::print("Web page: {}\nCtrl-C ends it.\n", page->Url());
  std::fflush(stdout);
  if (options.open) OpenInBrowser(page->Url());
  WaitForSignal();
  return {};
}

}  // namespace

int RunUi(const UiOptions& options) {
  BlockSignals();
  kube::ThreadExecutor executor;
  const base::Status served = Serve(options, executor);
  return served ? 0 : Fail(served.error());
}

}  // namespace coppice::cli
