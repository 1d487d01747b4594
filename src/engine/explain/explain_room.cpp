#include "engine/explain/explain_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/devices/device_demand.h"
#include "engine/devices/device_planner.h"
#include "engine/explain/amount_text.h"
#include "engine/explain/domain_advice.h"
#include "engine/explain/evidence.h"
#include "engine/explain/explain_queues.h"
#include "engine/explain/room_text.h"
#include "engine/explain/rule_search.h"

namespace coppice::engine {
namespace {

using Source = RoomSearch::Source;

constexpr int64_t kMostDevices = 64;  // Of a pod's claims.

class RoomExplainer {
 public:
  RoomExplainer(Trial& trial, Explanation& out)
      : trial_(trial), cluster_(trial.cluster()), out_(out), rules_(trial), text_(trial) {
    trial_.allocator().SupposeLargerNodes(true);
  }
  ~RoomExplainer() { trial_.allocator().SupposeLargerNodes(false); }

  void Run() {
    RoomSearch room(trial_);
    const auto pods = static_cast<int64_t>(trial_.tasks().size());
    out_.evidence[evidence::kPodsThatFit] = static_cast<double>(std::min(room.FreeSlots(), pods));
    if (!FindWithin(room)) FindBeyond(room);
    if (out_.reason.empty()) out_.reason = ReasonOf(room, pods);
    if (out_.summary.empty()) out_.summary = SummaryOf(room, pods);
  }

 private:
  // Without more hardware: first what others hold, then nodes that are cordoned or down, then other
  // rules, then both.
  bool FindWithin(RoomSearch& room) {
    if ((answer_ = room.Smallest(Source::kOthers))) return SayOthers(room);
    if (const auto state = StatesInTheWay()) {
      return SayRules(*state, rules_.MayPass(*state) ? Verdict::kWaits : Verdict::kNeedsAction);
    }
    if (const auto all = rules_.InTheWay(PlacementRules::All())) {
      const bool stays = (room.NeverFits() || !RunsAlone()) && !HeldByOthers(all->dropped);
      return SayRules(*all, stays ? Verdict::kNeedsAction : Verdict::kWaits);
    }
    if (SayDevices()) return true;
    return FindBoth(Source::kOthers) && SayBoth(room, Verdict::kNeedsAction);
  }

  // Pods that are stuck on nodes that are down go away when those nodes come back.
  std::optional<RuleSearch::Answer> StatesInTheWay() {
    std::vector<Missing> back = trial_.HeldByStuck();
    std::erase_if(back, [&](const Missing& each) { return cluster_.nodes()[each.node].ready; });
    return rules_.InTheWay(PlacementRules::Only(PlacementRule::kNodeState), back);
  }

  // Whether it runs once all other work ends, with all rules in place.
  bool RunsAlone() {
    Statement& statement = trial_.statement();
    const auto mark = statement.Mark();
    trial_.EvictOthers();
    const bool runs = trial_.Runs();
    statement.Rollback(mark);
    return runs;
  }

  // For a single pod, taken host ports and anti-affinity conflicts come from other pods, which will
  // end.
  bool HeldByOthers(PlacementRules dropped) const {
    return trial_.tasks().size() == 1 && dropped.Without(PlacementRule::kHostPorts)
                                             .Without(PlacementRule::kPodAntiAffinity)
                                             .empty();
  }

  void FindBeyond(RoomSearch& room) {
    // Once the minimum runs, waiting pods start at the latest when their siblings end.
    never_ = never_ && !trial_.surplus();
    out_.verdict = never_ ? Verdict::kNever : Verdict::kWaits;
    if (const auto& nearest = room.NearestDomain(); never_ && nearest) {
      out_.largest_domain = nearest->domain;
      out_.evidence[evidence::kLargestDomainGpus] = InDevices(nearest->gpus);
      if (nearest->pods > 0) {
        out_.evidence[evidence::kLargestDomainPods] = static_cast<double>(nearest->pods);
      }
    }
    if ((answer_ = room.Smallest(Source::kHardware))) {
      SayMissing(room);
    } else if (FindBoth(Source::kHardware)) {
      SayBoth(room, out_.verdict);
    }
    if (out_.verdict == Verdict::kNever) {
      out_.reason = text_.TooLarge() ? "PodTooLarge" : Constrained() ? "Topology" : "Resources";
      out_.summary.clear();  // Rules that also block it are not the reason.
    }
    if (out_.verdict == Verdict::kNever && out_.reason == "Topology") {
      if (auto advice = DomainAdvice(trial_, *Required())) out_.alternative = {*std::move(advice)};
    }
  }

  // Capacity on nodes that rules exclude, plus those rules.
  bool FindBoth(Source source) {
    trial_.allocator().Ignore(PlacementRules::All());
    {
      RoomSearch loose(trial_);
      never_ = loose.NeverFits();
      answer_ = loose.Smallest(source);
    }
    trial_.allocator().Ignore({});
    if (!answer_) return false;
    dropped_ = rules_.InTheWay(PlacementRules::All(), answer_->missing);
    return dropped_.has_value();
  }

  bool SayRules(const RuleSearch::Answer& dropped, Verdict verdict) {
    out_.verdict = verdict;
    out_.reason = RuleSearch::ReasonOf(dropped);
    out_.summary = rules_.Summary(dropped) + text_.Stuck(dropped.nodes);
    Append(rules_.Changes(dropped));
    return true;
  }

  bool SayOthers(RoomSearch& room) {
    out_.verdict = Verdict::kWaits;
    // Other nodes have capacity but rules exclude them: either change helps.
    auto rules = StatesInTheWay();
    if (!rules) rules = rules_.InTheWay(PlacementRules::All());
    if (rules) {
      out_.alternative = rules_.Changes(*rules);
      besides_ = "; " + rules_.Summary(*rules) + text_.Stuck(rules->nodes);
    }
    if (auto wait = text_.Wait(*answer_)) {
      out_.domain = answer_->domain;
      Append({*std::move(wait)});
    } else {
      SayMissing(room);
    }
    return true;
  }

  bool SayBoth(RoomSearch& room, Verdict verdict) {
    SayRules(*dropped_, verdict);
    SayMissing(room);
    return true;
  }

  void SayMissing(RoomSearch& room) {
    out_.domain = answer_->domain;
    if (auto part = text_.PartOfGpu(*answer_)) {
      Append({*std::move(part)});
    } else {
      Append(text_.Changes(room, *answer_));
    }
    const bool stuck = std::any_of(out_.changes.begin(), out_.changes.end(),
                                   [](const auto& change) { return change.kind == "forceDelete"; });
    if (stuck) out_.verdict = std::max(out_.verdict, Verdict::kNeedsAction);
  }

  // Devices of claims are not amounts of nodes.
  bool SayDevices() {
    if (!trial_.session().devices) return false;
    const auto demands = DeviceDemands(cluster_, trial_.tasks());
    if (demands.empty()) return false;
    if (!RunsWithoutDevices()) return false;
    const auto scarce =
        std::min_element(demands.begin(), demands.end(), [](const auto& a, const auto& b) {
          return a.second.free_on_node - a.second.requested <
                 b.second.free_on_node - b.second.requested;
        });
    SayDevice(scarce->first, scarce->second);
    return true;
  }

  // Devices that are GPUs also count among the nodes' GPUs.
  bool RunsWithoutDevices() {
    std::vector<Missing> gpus;
    const auto& tasks = trial_.tasks();
    const bool by_claims = std::all_of(tasks.begin(), tasks.end(), [&](TaskId task) {
      return cluster_.ClassOf(task).gpu.Milli() == 0;
    });
    for (NodeId node : cluster_.node_order()) {
      if (by_claims)
        gpus.push_back({node, static_cast<int64_t>(tasks.size()) * kMostDevices, kGpu});
    }
    auto planner = std::move(trial_.session().devices);
    const bool runs = trial_.Runs(gpus);
    trial_.session().devices = std::move(planner);
    return runs;
  }

  void SayDevice(const std::string& name, const DeviceDemand& demand) {
    const bool one = trial_.tasks().size() == 1;
    const int64_t free = one ? demand.free_on_node : demand.free;
    const int64_t lacking = std::max<int64_t>(demand.requested - free, 1);
    const bool exist = !one || demand.requested <= demand.all_on_node;
    out_.verdict = exist ? Verdict::kWaits : Verdict::kNever;
    out_.reason = "Devices";
    out_.summary =
        fmt::format("the pods' claims ask for {} of class {}; {} free{}",
                    CountText(demand.requested, "device"), name, free, one ? " on one node" : "");
    Append({{exist ? "freeDevices" : "addDevices", name, static_cast<double>(lacking), name,
             fmt::format("{} {} of class {}{}", exist ? "free" : "add",
                         CountText(lacking, "device"), name, one ? " on one node" : "")}});
  }

  void Append(std::vector<Explanation::Change> changes) {
    for (auto& change : changes) out_.changes.push_back(std::move(change));
  }

  std::string ReasonOf(const RoomSearch& room, int64_t pods) const {
    if (room.FreeSlots() >= pods && Constrained()) return "Topology";
    return LacksInAll() ? "Resources" : "Fragmentation";
  }

  std::string SummaryOf(const RoomSearch& room, int64_t pods) const {
    const int scarce = text_.Scarce(answer_);
    if (out_.verdict == Verdict::kNever) return NeverText(room, pods, scarce);
    const std::string others = answer_ ? text_.Holders(*answer_) : "";
    if (out_.reason == "Topology") {
      return fmt::format("{} in one `{}`, and none has the room{}{}{}", text_.Wanted(scarce),
                         LevelName(), out_.domain.empty() ? "" : "; nearest is " + out_.domain,
                         others, besides_);
    }
    return fmt::format("{}; {}{}{}{}", text_.Wanted(scarce),
                       text_.Free(scarce, out_.reason == "Fragmentation"), others,
                       OverQuotaText(trial_.session(), trial_.gang(), trial_.tasks()), besides_);
  }

  std::string NeverText(const RoomSearch& room, int64_t pods, int scarce) const {
    if (const auto too_large = text_.TooLarge()) return *too_large;
    if (const auto& nearest = room.NearestDomain()) {
      std::string text =
          fmt::format("{} in one `{}`; the largest, {}, has {}", text_.Wanted(scarce), LevelName(),
                      nearest->domain, AmountText(cluster_.resources(), kGpu, nearest->gpus));
      if (nearest->pods > 0) text += fmt::format(" and holds {} of {} pods", nearest->pods, pods);
      return text;
    }
    if (!room.alike())
      return fmt::format("{}, more than all nodes together can give", text_.Wanted(scarce));
    return fmt::format("{}; the nodes hold {} of {} pods when nothing else runs",
                       text_.Wanted(scarce), room.EmptySlots(), pods);
  }

  // Whether all nodes together have too little of something.
  bool LacksInAll() const {
    Amounts lacking;
    for (const TaskId task : trial_.tasks()) AddTo(lacking, cluster_.ClassOf(task).request);
    double gpus = trial_.gang().RequestOf(trial_.tasks())[2];
    for (const NodeId node : text_.usable()) {
      gpus -= static_cast<double>(cluster_.nodes().IdleGpuSum(node));
    }
    for (int i = 0; i < static_cast<int>(lacking.size()); ++i) {
      for (const NodeId node : text_.usable()) {
        lacking[i] -= std::max<int64_t>(
            cluster_.amounts().idle(node)[i] + cluster_.amounts().releasing(node)[i], 0);
      }
      if (i != kGpu && lacking[i] > 0) return true;
    }
    return gpus > 0;
  }

  // The constraint that requires a topology level; null if there is none.
  const Constraint* Required() const {
    const Job& job = trial_.gang().job();
    for (const auto& set : job.sets) {
      if (set.constraint.required != 0) return &set.constraint;
    }
    for (const auto& set : job.pod_sets) {
      if (set.constraint.required != 0) return &set.constraint;
    }
    return nullptr;
  }
  bool Constrained() const { return Required() != nullptr; }
  std::string LevelName() const {
    const Constraint* required = Required();
    return required ? std::string(cluster_.Text(required->required)) : "";
  }

  Trial& trial_;
  Cluster& cluster_;
  Explanation& out_;
  RuleSearch rules_;
  RoomText text_;
  std::optional<RoomSearch::Answer> answer_;
  std::optional<RuleSearch::Answer> dropped_;
  std::string besides_;  // What else blocks it, without being a reason to wait.
  bool never_ = false;
};

}  // namespace

void ExplainRoom(Trial& trial, Explanation& out) { RoomExplainer(trial, out).Run(); }

}  // namespace coppice::engine
