#include "engine/gpus/fragmentation.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <tuple>

#include "engine/state/jobs/status.h"

namespace coppice::engine {
namespace {

// The weight of a shape is its GPUs to the power of minus this. Found by filling published clusters
// (docs/benchmarks.md); smaller shapes than the least size weigh as much as that size.
constexpr double kSmallness = 2;
constexpr double kLeastSize = 0.05;
// The bonus for opening a GPU; and how many times the CPU of the usual pods on the free GPUs must
// then be free, so that the rest does not run out of CPU.
constexpr double kOpening = 0.05;
constexpr double kSpareCpu = 1.3;
// The penalty for a whole GPU that will stay unused.
constexpr double kWaste = 0.5;
// Shares that leave room for another of a usual size; and the smallest rest that counts.
constexpr int kSmallShare = 60, kUsableRest = 20;
// Placements between two updates: at least this many, and one per this many nodes.
constexpr size_t kFewPlacements = 50, kNodesPerPlacement = 16;
// Prices are recomputed every this many updates.
constexpr size_t kPeriodsPerPrice = 8;
constexpr int kMostRules = 63;  // The last bit means "not restricted".
constexpr uint64_t kAnybody = uint64_t{1} << kMostRules;
constexpr float kPlenty = 1e6;     // For resources that are not requested.
constexpr float kRounding = 1e-3;  // Tolerance for quotients just below a whole number.
constexpr double kTie = 1e-9;

float Cores(int64_t milli) { return static_cast<float>(milli) / 1000; }
float GiB(int64_t bytes) { return static_cast<float>(bytes) / (1 << 30); }

bool SharesOne(const GpuRequest& gpu) { return gpu.shared() && gpu.count == 1; }

int Rest(const Node& node, const GpuGroup& group) {
  const int64_t free = node.gpu_memory - group.allocated + group.releasing;
  return static_cast<int>(
      std::clamp<int64_t>((100 * free + node.gpu_memory / 2) / node.gpu_memory, 0, 100));
}

}  // namespace

Fragmentation::Fragmentation(Session& session, const Workload& workload)
    : session_(session), cluster_(session.cluster) {
  for (NodeId node : cluster_.node_order()) {
    if (cluster_.nodes()[node].gpu_count == 0) continue;
    device_mib_ = cluster_.nodes()[node].gpu_memory;
    break;
  }
  const std::vector<Workload::Expected> expected = workload.Expect(cluster_);
  ReadRules(expected);
  ReadExpected(expected);
  ReadWaiting();
}

Fragmentation::Size Fragmentation::SizeOf(const PodClass& cls, int64_t device_mib) const {
  const auto count = static_cast<int>(cls.gpu.count);
  if (!cls.gpu.shared()) return {kWhole, count};
  const auto part =
      static_cast<int>(std::clamp<int64_t>(PortionPercentOn(cls.gpu, device_mib), 1, kWhole));
  return {part, count};
}

// Which nodes admit which pods, if some pods are restricted: one bit per set of rules.
void Fragmentation::ReadRules(const std::vector<Workload::Expected>& expected) {
  if (!session_.plugins.predicates) return;
  std::vector<const PodClass*> rules;
  for (const auto& each : expected) {
    const PodClass& cls = cluster_.classes()[each.cls];
    if (!cls.has_node_affinity || rules.size() == kMostRules) continue;
    if (cls.signature >= static_cast<int32_t>(rule_of_.size())) {
      rule_of_.resize(cls.signature + 1, kNone);
    }
    if (rule_of_[cls.signature] != kNone) continue;
    rule_of_[cls.signature] = static_cast<int32_t>(rules.size());
    rules.push_back(&cls);
  }
  if (rules.empty()) return;
  admits_.assign(cluster_.nodes().size(), kAnybody);
  for (NodeId node : cluster_.node_order()) {
    if (cluster_.nodes()[node].gpu_count == 0) continue;
    for (size_t i = 0; i < rules.size(); ++i) {
      if (cluster_.MatchesNodeAffinity(*rules[i], node)) {
        admits_[node] |= uint64_t{1} << i;
      }
    }
  }
}

void Fragmentation::ReadExpected(const std::vector<Workload::Expected>& expected) {
  struct Shape {
    Size size;
    const PodClass* cls;
    double pods;
    uint64_t rule;
  };
  std::vector<Shape> shapes;
  double total = 0, cpu[2] = {}, gpus[2] = {};
  for (const auto& each : expected) {
    const PodClass& cls = cluster_.classes()[each.cls];
    const Size size = SizeOf(cls, device_mib_);
    const bool known =
        cls.signature < static_cast<int32_t>(rule_of_.size()) && rule_of_[cls.signature] != kNone;
    shapes.push_back(
        {size, &cls, each.pods, known ? uint64_t{1} << rule_of_[cls.signature] : kAnybody});
    const double asked = size.part * size.devices / 100.0;
    total += each.pods * std::pow(std::max(asked, kLeastSize), -kSmallness - 1);
    if (size.part < kWhole && size.part >= kSmallShare) continue;
    cpu[size.part < kWhole] += each.pods * Cores(cls.request[kCpu]);
    gpus[size.part < kWhole] += each.pods * asked;
  }
  cores_per_gpu_ = gpus[0] > 0 ? cpu[0] / gpus[0] : 0;
  cores_per_share_ = gpus[1] > 0 ? cpu[1] / gpus[1] : 0;
  std::stable_sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) {
    return std::tie(a.size.part, a.size.devices) < std::tie(b.size.part, b.size.devices);
  });
  for (const Shape& shape : shapes) {
    if (sizes_.empty() || sizes_.back().size != shape.size) sizes_.push_back({shape.size, 0});
    const double asked = shape.size.part * shape.size.devices / 100.0;
    AddShape(*shape.cls, shape.pods * std::pow(std::max(asked, kLeastSize), -kSmallness) / total,
             shape.rule);
    sizes_.back().end = expected_.weight.size();
  }
}

void Fragmentation::AddShape(const PodClass& cls, double weight, uint64_t rule) {
  const float cores = Cores(cls.request[kCpu]), gib = GiB(cls.request[kMemory]);
  expected_.per_core.push_back(cores > 0 ? 1 / cores : 0);
  expected_.cores_base.push_back(cores > 0 ? kRounding : kPlenty);
  expected_.per_gib.push_back(gib > 0 ? 1 / gib : 0);
  expected_.gib_base.push_back(gib > 0 ? kRounding : kPlenty);
  expected_.weight.push_back(Coarse(weight));
  expected_.rule.push_back(rule);
}

void Fragmentation::ReadWaiting() {
  for (const Task& task : cluster_.tasks()) {
    if (!task.exists || task.status != TaskStatus::kPending) continue;
    const PodClass& cls = cluster_.ClassOf(task);
    if (!Workload::Counts(cls)) continue;
    const Size size = SizeOf(cls, device_mib_);
    waiting_hundredths_ += size.part * size.devices;
    if (SharesOne(cls.gpu)) ++waiting_[size.part];
  }
}

void Fragmentation::Refresh() {
  const size_t period = std::max(kFewPlacements, cluster_.node_order().size() / kNodesPerPlacement);
  if (begun_ && session_.touched.size() - touched_ < period) return;
  begun_ = true;
  counted_.resize(cluster_.tasks().size());
  for (; touched_ < session_.touched.size(); ++touched_) {
    const TaskId task = session_.touched[touched_];
    const PodClass& cls = cluster_.ClassOf(task);
    const bool waits = cluster_.tasks()[task].status == TaskStatus::kPending;
    if (!Workload::Counts(cls) || waits || counted_[task]) continue;
    counted_[task] = true;
    const Size size = SizeOf(cls, device_mib_);
    waiting_hundredths_ -= size.part * size.devices;
    if (SharesOne(cls.gpu)) --waiting_[size.part];
  }
  const RestPrices::Counts rests = CountRests();
  if (priced_ == 0 || touched_ - priced_ >= kPeriodsPerPrice * period) {
    prices_.Update(waiting_, rests);
    priced_ = std::max<size_t>(touched_, 1);
    ++price_revision_;
  }
  MarkOpening(rests);
}

RestPrices::Counts Fragmentation::CountRests() const {
  RestPrices::Counts rests{};
  for (NodeId node : cluster_.node_order()) {
    if (cluster_.nodes()[node].gpu_count == 0) continue;
    const Room room = RoomOf(node);
    rests[kWhole] += room.whole;
    for (int i = 0; i < room.rests; ++i) ++rests[room.rest[i]];
  }
  return rests;
}

// Assigns waiting shares to existing rests, largest share first, best fit. If some shares of a size
// remain, they will open GPUs in any case, and may do so now.
void Fragmentation::MarkOpening(RestPrices::Counts rests) {
  int64_t free = 0;
  for (int rest = 1; rest <= kWhole; ++rest) free += rests[rest] * rest;
  const bool scarce = waiting_hundredths_ > free;
  for (int part = kWhole - 1; part > 0; --part) {
    int64_t left = std::max<int64_t>(waiting_[part], 0);
    for (int rest = part; rest < kWhole && left > 0; ++rest) {
      const int64_t taken = std::min(left, rests[rest]);
      rests[rest] -= taken;
      rests[rest - part] += taken;
      left -= taken;
    }
    if (left > 0) {
      const int each = kWhole / part;
      const int64_t begun = std::min((left + each - 1) / each, rests[kWhole]);
      rests[kWhole] -= begun;
      rests[kWhole - each * part] += begun;
    }
    const bool opens = scarce && left > 0;
    revision_[part] += opens != opens_[part];
    opens_[part] = opens;
  }
}

uint32_t Fragmentation::Revision(TaskId task) const {
  const PodClass& cls = cluster_.ClassOf(task);
  return SharesOne(cls.gpu) ? price_revision_ + revision_[SizeOf(cls, device_mib_).part] : 0;
}

Fragmentation::Room Fragmentation::RoomOf(NodeId id) const {
  const Node& node = cluster_.nodes()[id];
  const auto idle = cluster_.amounts().idle(id), releasing = cluster_.amounts().releasing(id);
  Room room;
  room.cpu = Cores(idle[kCpu] + releasing[kCpu]);
  room.memory = GiB(idle[kMemory] + releasing[kMemory]);
  room.whole = static_cast<int>((idle[kGpu] + releasing[kGpu]) / kGpuUnit);
  for (const GpuGroup& group : node.groups) {
    if (group.used == 0 || group.allocated == group.releasing || room.rests == kMostRests) continue;
    room.rest[room.rests++] = Rest(node, group);
  }
  room.admits = admits_.empty() ? kAnybody : admits_[id];
  return room;
}

int Fragmentation::Slots(const Room& room, Size size) const {
  if (size.part == kWhole) return room.whole / size.devices;
  int slots = room.whole * (size.devices == 1 ? kWhole / size.part : 1);
  for (int i = 0; i < room.rests; ++i) {
    slots += size.devices == 1 ? room.rest[i] / size.part : room.rest[i] >= size.part;
  }
  return slots / size.devices;
}

double Fragmentation::Worth(const Room& room) const {
  double worth = 0;
  for (int i = 0; i < room.rests; ++i) worth -= kWaste * prices_.Waste(room.rest[i]);
  size_t at = 0;
  for (const OfSize& of : sizes_) {
    const int slots = Slots(room, of.size);
    if (slots == 0) {
      at = of.end;
      continue;
    }
    double sum = 0;
    for (; at < of.end; ++at) {
      const float by_cpu = room.cpu * expected_.per_core[at] + expected_.cores_base[at];
      const float by_memory = room.memory * expected_.per_gib[at] + expected_.gib_base[at];
      const auto pods = static_cast<int>(std::min({static_cast<float>(slots), by_cpu, by_memory}));
      sum += room.admits & expected_.rule[at] ? expected_.weight[at] * pods : 0;
    }
    worth += sum;
  }
  return worth;
}

void Fragmentation::Take(Room& room, Size size) {
  if (size.part == kWhole) {
    room.whole -= size.devices;
    return;
  }
  // For several GPUs: the fullest first, as in ChooseGpus.
  std::sort(room.rest.begin(), room.rest.begin() + room.rests);
  int left = size.devices;
  for (int i = 0; i < room.rests && left > 0; ++i) {
    if (room.rest[i] < size.part) continue;
    room.rest[i] -= size.part;
    --left;
  }
  for (; left > 0 && room.whole > 0 && room.rests < kMostRests; --left, --room.whole) {
    room.rest[room.rests++] = kWhole - size.part;
  }
}

// Whether the node has enough CPU for its free GPUs.
bool Fragmentation::RichInCpu(const Room& room) const {
  double cores = room.whole * cores_per_gpu_;
  for (int i = 0; i < room.rests; ++i) {
    if (room.rest[i] >= kUsableRest) cores += room.rest[i] / 100.0 * cores_per_share_;
  }
  return room.cpu >= kSpareCpu * cores;
}

// Tie-break for nodes with the same loss: the fuller one.
double Fragmentation::Tie(NodeId node) const {
  const auto idle = cluster_.amounts().idle(node);
  return kTie * (static_cast<double>(idle[kGpu]) / 125 + static_cast<double>(idle[kCpu]) / 16000);
}

Fragmentation::Choice Fragmentation::Choose(TaskId task, NodeId node) const {
  const PodClass& cls = cluster_.ClassOf(task);
  const double tie = Tie(node);
  if (cluster_.nodes()[node].gpu_count == 0 || !cls.gpu.mig.empty()) return {tie};
  const Room before = RoomOf(node);
  Room after = before;
  after.cpu -= Cores(cls.request[kCpu]);
  after.memory -= GiB(cls.request[kMemory]);
  const Size size = SizeOf(cls, cluster_.nodes()[node].gpu_memory);
  Choice choice;
  if (SharesOne(cls.gpu)) {
    choice = ChooseShared(task, node, size, before, after);
  } else {
    if (size.devices > 0) Take(after, size);
    choice.loss = Worth(before) - Worth(after);
  }
  choice.loss += tie;
  return choice;
}

Fragmentation::Choice Fragmentation::ChooseShared(TaskId task, NodeId id, Size size,
                                                  const Room& before, Room& after) const {
  const Node& node = cluster_.nodes()[id];
  Choice best{std::numeric_limits<double>::infinity(), nullptr, false};
  const double worth = Worth(before);
  std::bitset<kWhole + 1> seen;
  int best_rest = 0, at = 0;
  for (const GpuGroup& group : node.groups) {
    if (group.used == 0 || group.allocated == group.releasing || at == before.rests) continue;
    const int place = at++, rest = before.rest[place];
    if (seen[rest] || !cluster_.FitsOnGroup(task, id, group)) continue;
    seen.set(rest);
    after.rest[place] = std::max(rest - size.part, 0);
    const double loss = worth - Worth(after);
    after.rest[place] = rest;
    if (loss < best.loss - kTie || (loss < best.loss + kTie && rest < best_rest)) {
      best = {loss, &group, true};
      best_rest = rest;
    }
  }
  if (best.group != nullptr) best.group = GroupWith(task, id, best_rest);
  if (before.whole > 0 && before.rests < kMostRests) {
    --after.whole;
    after.rest[after.rests++] = kWhole - size.part;
    double loss = worth - Worth(after);
    if (opens_[size.part] && RichInCpu(after)) loss -= kOpening;
    if (loss < best.loss - kTie) best = {loss, nullptr, true};
  }
  return best;
}

// Known GPUs by id, then those that became shared in this cycle, in that order.
const GpuGroup* Fragmentation::GroupWith(TaskId task, NodeId id, int rest) const {
  const Node& node = cluster_.nodes()[id];
  const GpuGroup* found = nullptr;
  for (const GpuGroup& group : node.groups) {
    if (Rest(node, group) != rest || !cluster_.FitsOnGroup(task, id, group)) continue;
    const bool earlier = found == nullptr || (!group.fresh && found->fresh) ||
                         (!group.fresh && cluster_.Text(group.id) < cluster_.Text(found->id));
    if (earlier) found = &group;
  }
  return found;
}

}  // namespace coppice::engine
