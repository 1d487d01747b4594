#include "cli/ui/page.h"

#include "cli/run/address.h"
#include "cli/why/why.h"
#include "page/cluster/objects_client.h"

namespace coppice::cli {
namespace {

// The time that the page shows: a snapshot's stands still.
class PageClock final : public base::Clock {
 public:
  explicit PageClock(page::Cluster& cluster) : cluster_(cluster) {}
  base::Time Now() const override { return cluster_.Now(); }
  base::Instant Elapsed() const override { return cluster_.executor().Elapsed(); }

 private:
  page::Cluster& cluster_;
};

page::WhyFunction WhyOf(page::Cluster& cluster) {
  return [&cluster](const std::string& ns, const std::string& target) {
    const PageClock clock(cluster);
    return ReadWhy(cluster.client(), clock, ns, target,
                   [&](const WhyTarget& each, std::optional<base::Time> room_left_until)
                       -> base::Result<std::optional<engine::Explanation>> {
                     return cluster.Explain(each.group, room_left_until);
                   });
  };
}

}  // namespace

base::Result<std::unique_ptr<page::PageServer>> ServePage(kube::Client& client,
                                                          kube::Executor& executor,
                                                          const ServedPage& what) {
  COPPICE_ASSIGN(const Address address, ParseAddress(what.listen));
  page::PageOptions options;
  options.address = address.host;
  options.port = address.port;
  options.why = WhyOf;
  options.cluster.kind = what.kind;
  options.cluster.name = what.name;
  options.cluster.ns = what.ns;
  if (what.snapshot) {
    options.cluster.scheduler = what.snapshot->options;
    options.cluster.now = services::scheduler::NewestTime(*what.snapshot);
  }
  return page::PageServer::Start(client, executor, std::move(options));
}

}  // namespace coppice::cli
