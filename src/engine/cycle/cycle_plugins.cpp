#include "engine/cycle/cycle_plugins.h"

#include "engine/gpus/fragmentation.h"

namespace coppice::engine {
namespace {

template <typename Open>
void Timed(Session& session, std::string_view plugin, Open&& open) {
  const base::Instant begun = session.stopwatch ? session.stopwatch() : base::Instant();
  open();
  if (session.stopwatch) {
    session.result.plugins_opened[std::string(plugin)] = session.stopwatch() - begun;
  }
}

template <typename P>
void OpenOne(Session& session, std::unique_ptr<P> Session::* place) {
  if (!P::On(session)) return;
  const auto open = [&] { session.*place = std::make_unique<P>(session); };
  if constexpr (P::kTimed) {
    Timed(session, P::kName, open);
  } else {
    open();
  }
}

}  // namespace

Session::Session(Cluster& cluster_state, const Configuration& configuration, Plugins plugin_set,
                 base::Time time)
    : cluster(cluster_state),
      config(configuration),
      plugins(std::move(plugin_set)),
      now(time),
      shares(cluster, plugins) {}

Session::~Session() = default;

void OpenPlugins(Session& session, const std::map<std::string, QueueUsage>& usage) {
  if (session.plugins.proportion) {
    Timed(session, "proportion", [&] { session.shares.Open(usage); });
  }
  std::apply([&](auto... places) { (OpenOne(session, places), ...); }, kCyclePlugins);
}

}  // namespace coppice::engine
