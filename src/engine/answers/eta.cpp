#include "engine/answers/eta.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/answers/future.h"

namespace coppice::engine {
namespace {

constexpr int kMostPerEvent = 8;  // Cycles after something ended.

std::string ObjectOf(const Ledger& objects, const InputKey& key) {
  const PodGroupSpec* group = objects.Find<PodGroupSpec>(key.first, key.second);
  return group == nullptr || group->shown_as.empty() ? key.second : group->shown_as;
}

// Groups with pods on nodes.
std::set<InputKey> Running(const Ledger& objects) {
  std::set<InputKey> groups;
  for (const PodSpec& pod : objects.pods()) {
    if (Future::IsPlaced(pod) && !pod.pod_group.empty()) {
      groups.emplace(pod.shape->namespace_name, pod.pod_group);
    }
  }
  return groups;
}

// One future, played until the group starts.
class Played {
 public:
  Played(const Engine& engine, const InputKey& group, const Runtimes& runtimes, base::Time now,
         uint64_t seed)
      : group_(group), runtimes_(runtimes), random_(seed), future_(engine, now) {
    for (const InputKey& key : Running(future_.objects())) {
      const auto known = runtimes_.find(key);
      Started(key, known == runtimes_.end() ? std::nullopt : known->second.started);
    }
  }

  // Returns when it starts; nullopt if nothing more is known to end, or after `until`, or when the
  // cycles are used up.
  std::optional<base::Time> Run(base::Time until, int& cycles) {
    while (cycles > 0) {
      const base::Time before = future_.now();
      cycles -= future_.Settle(std::min(cycles, kMostPerEvent));
      if (future_.HasMinimum(group_)) return before;
      for (const InputKey& key : future_.TakeStarted()) {
        if (!due_.contains(key)) Started(key, std::nullopt);
      }
      if (!FinishNext(until)) return std::nullopt;
    }
    return std::nullopt;
  }

  std::vector<EtaAnswer::End> ends() const { return ends_; }
  const std::set<InputKey>& unknown() const { return unknown_; }
  std::string Message() const {
    for (const GroupStatus& status : future_.last().groups) {
      const bool own =
          status.group.namespace_name == group_.first && status.group.name == group_.second;
      if (own) return status.ready ? status.message : status.not_ready_message;
    }
    return "";
  }
  std::vector<std::string> Nodes() const {
    std::set<std::string> nodes;
    for (const PodSpec& pod : future_.objects().pods()) {
      const bool own = Future::IsPlaced(pod) && pod.pod_group == group_.second &&
                       pod.shape->namespace_name == group_.first;
      if (own) nodes.insert(pod.node);
    }
    return {nodes.begin(), nodes.end()};
  }

 private:
  // `since`: nullopt if it starts now, or nobody has noted when it did.
  void Started(const InputKey& key, std::optional<base::Time> since) {
    const auto known = runtimes_.find(key);
    const auto end = known == runtimes_.end()
                         ? std::nullopt
                         : known->second.End(since.value_or(future_.now()), future_.now(), random_);
    if (end) {
      due_[key] = *end;
    } else {
      unknown_.insert(key);
    }
  }

  bool FinishNext(base::Time until) {
    const std::set<InputKey> running = Running(future_.objects());
    std::erase_if(due_, [&](const auto& due) { return !running.contains(due.first); });
    const auto next = std::min_element(
        due_.begin(), due_.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    if (next == due_.end() || next->second > until) return false;
    const auto [key, end] = *next;
    const Runtime& runtime = runtimes_.at(key);
    ends_.push_back({{key.first, key.second},
                     ObjectOf(future_.objects(), key),
                     runtime.source,
                     runtime.durations.size(),
                     end});
    future_.AdvanceTo(end);
    future_.Finish(key);
    due_.erase(key);
    return true;
  }

  const InputKey group_;
  const Runtimes& runtimes_;
  std::mt19937_64 random_;
  Future future_;
  std::map<InputKey, base::Time> due_;
  std::set<InputKey> unknown_;
  std::vector<EtaAnswer::End> ends_;
};

void FindPosition(const Engine& engine, const InputKey& group, base::Time now, EtaAnswer& out) {
  Engine fork = engine.Fork();
  fork.OpenCycle(now);
  const std::vector<Engine::OrderedJob> order = fork.AllocateOrder();
  fork.CloseCycle();
  for (const Engine::OrderedJob& job : order) {
    ++out.length;
    if (job.queue == out.queue) ++out.queue_length;
    if (out.position > 0) continue;
    const bool own = job.group.namespace_name == group.first && job.group.name == group.second;
    if (own) {
      out.position = out.length;
      out.queue_position = out.queue_length;
    } else {
      out.ahead.push_back(job);
    }
  }
  if (out.position == 0) out.ahead.clear();
}

bool HasSpread(const Runtimes& runtimes) {
  return std::any_of(runtimes.begin(), runtimes.end(),
                     [](const auto& runtime) { return runtime.second.spread(); });
}

// The value that this part of the futures does not exceed; those that are unknown come last.
std::optional<base::Time> Quantile(const std::vector<std::optional<base::Time>>& starts,
                                   double part) {
  std::vector<base::Time> known;
  for (const auto& start : starts) {
    if (start) known.push_back(*start);
  }
  std::sort(known.begin(), known.end());
  const auto at = static_cast<size_t>(part * static_cast<double>(starts.size() - 1) + 0.5);
  return at < known.size() ? std::optional(known[at]) : std::nullopt;
}

std::string WhyUnknown(const EtaAnswer& answer, const std::string& message, int cycles_left) {
  if (cycles_left <= 0) return "too much happens before its start to play it all";
  if (answer.unknown.empty()) {
    return message.empty() ? "it would not start even if all running work ended" : message;
  }
  return "nobody knows when the work ends that it waits for";
}

class Estimate {
 public:
  Estimate(const Engine& engine, const InputKey& group, const Runtimes& runtimes, base::Time now,
           const EtaOptions& options)
      : engine_(engine), group_(group), runtimes_(runtimes), now_(now), options_(options) {}

  void Play(EtaAnswer& out) {
    const int runs = HasSpread(runtimes_) ? options_.runs : 1;
    int cycles = options_.most_cycles;
    for (int run = 0; run < runs && cycles > 0; ++run) PlayOnce(run, cycles, out);
    out.runs = static_cast<int>(starts_.size());
    out.started = static_cast<int>(
        std::count_if(starts_.begin(), starts_.end(), [](const auto& start) { return start; }));
    out.p50 = Quantile(starts_, 0.5);
    out.p90 = Quantile(starts_, 0.9);
    Describe(out, cycles);
  }

 private:
  void PlayOnce(int run, int& cycles, EtaAnswer& out) {
    Played played(engine_, group_, runtimes_, now_, options_.seed + static_cast<uint64_t>(run));
    const auto start = played.Run(now_ + options_.horizon, cycles);
    starts_.push_back(start);
    runs_.push_back({start, played.ends(), played.Nodes(), played.Message()});
    if (run > 0) return;
    for (const InputKey& key : played.unknown()) {
      if (key != group_) out.unknown.push_back(ObjectOf(*engine_.inputs(), key));
    }
  }

  struct Outcome {
    std::optional<base::Time> start;
    std::vector<EtaAnswer::End> ends;
    std::vector<std::string> nodes;
    std::string message;
  };

  void Describe(EtaAnswer& out, int cycles) {
    const auto middle = std::find_if(runs_.begin(), runs_.end(), [&](const Outcome& outcome) {
      return outcome.start == out.p50;
    });
    if (middle == runs_.end()) return;
    out.rests_on = middle->ends;
    out.nodes = middle->nodes;
    if (!out.p50) {
      out.rests_on.clear();
      out.why = WhyUnknown(out, middle->message, cycles);
    }
  }

  const Engine& engine_;
  const InputKey& group_;
  const Runtimes& runtimes_;
  const base::Time now_;
  const EtaOptions& options_;
  std::vector<std::optional<base::Time>> starts_;
  std::vector<Outcome> runs_;
};

}  // namespace

std::optional<EtaAnswer> AskEta(const Engine& engine, const InputKey& group,
                                const Runtimes& runtimes, base::Time now,
                                const EtaOptions& options) {
  const PodGroupSpec* spec = engine.inputs()->Find<PodGroupSpec>(group.first, group.second);
  if (spec == nullptr) return std::nullopt;
  EtaAnswer out;
  out.group = {group.first, group.second};
  out.object = ObjectOf(*engine.inputs(), group);
  out.queue = spec->queue;
  Engine fork = engine.Fork();
  if (fork.HasMinimum(group.first, group.second)) {
    out.state = EtaAnswer::State::kRuns;
    return out;
  }
  FindPosition(engine, group, now, out);
  if (out.position == 0) {
    out.state = EtaAnswer::State::kNotReady;
    if (const auto why = fork.Explain(group.first, group.second, now)) out.why = why->summary;
    return out;
  }
  Estimate(engine, group, runtimes, now, options).Play(out);
  return out;
}

}  // namespace coppice::engine
