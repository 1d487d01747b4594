#include "cli/show/queue_view.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "api/edit/answers.h"
#include "api/kai/own_names.h"
#include "api/view/answers.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "cli/show/queue_load.h"
#include "cli/text/output.h"
#include "kube/object.h"
#include "services/common/names.h"

namespace coppice::cli {
namespace {

using json::Value;

namespace answers = view::answers;

constexpr std::string_view kCpu = "cpu", kMemory = "memory";  // Keys in a queue's status.

double QuantityOf(const Value& value) {
  if (value.IsNumber()) return value.AsDouble();
  const auto parsed = base::Quantity::Parse(value.AsString());
  return parsed ? parsed->ToDouble() : 0;
}

// The units of the Queue API in ours: millicores, and millions of bytes.
constexpr double kCores = 0.001, kBytes = 1e6, kGpus = 1;

double InUnits(double value, double unit) { return value < 0 ? -1 : value * unit; }

// The queue's bounds for a resource; usage is set separately, by name. What is absent is 0, as the
// scheduler reads it.
void SetBounds(view::kai::QueueResource spec, double unit, edit::answers::QueueResource shown) {
  shown.set_quota(InUnits(spec.quota(), unit))
      .set_limit(InUnits(spec.limit(), unit))
      .set_weight(spec.overQuotaWeight());
}

// Whether it holds more than a quota that someone set.
bool IsOverQuota(view::kai::QueueResource spec, answers::QueueResource shown) {
  constexpr double kRounding = 1e-6;
  return spec.has_quota() && shown.quota() >= 0 && shown.allocated() > shown.quota() + kRounding;
}

void SetUse(view::kai::QueueStatus status, std::string_view name,
            edit::answers::QueueResource shown) {
  shown.set_allocated(QuantityOf(status.allocated()[name]));
  shown.set_requested(QuantityOf(status.requested()[name]));
}

// GPUs from a device plugin and from claims: an extended resource, or a device class, which is a
// name without a slash.
bool IsGpu(std::string_view name) {
  if (name.find('/') != name.npos) return name.ends_with("/gpu");
  return name.find("gpu") != name.npos || name.find("GPU") != name.npos;
}

double GpusIn(view::Quantities quantities) {
  double gpus = 0;
  for (const auto& [name, quantity] : quantities) {
    if (IsGpu(name)) gpus += QuantityOf(quantity);
  }
  return gpus;
}

// A request for GPU memory counts as no fraction of a GPU until the pod has a GPU, so it is shown
// separately, in MiB.
void SetGpuUse(view::kai::QueueStatus status, edit::answers::QueueResource shown) {
  shown.set_allocated(GpusIn(status.allocated())).set_requested(GpusIn(status.requested()));
  const double memory = QuantityOf(status.requested()[services::names::kGpuMemoryResource]);
  if (memory > 0) shown.set_requestedMemory(memory);
}

// What is known about queues beside their objects.
struct QueueFacts {
  std::map<std::string, engine::QueueShare> shares;
  std::optional<std::map<std::string, QueueLoad>> loads;
};

class QueueTree {
 public:
  QueueTree(const std::vector<Value>& queues, QueueFacts facts) : facts_(std::move(facts)) {
    for (const Value& queue : queues) by_name_[std::string(kube::Name(queue))] = queue;
    for (const auto& [name, queue] : by_name_) {
      const std::string parent(view::kai::Queue(queue).spec().parentQueue());
      children_[by_name_.contains(parent) ? parent : ""].push_back(name);
    }
  }

  Value Flatten() {
    Visit("", 0);
    // Queues in a cycle have no root; show them anyway.
    for (const auto& [name, queue] : by_name_) {
      if (!seen_.contains(name)) Show(name, 0);
    }
    return std::move(out_);
  }

 private:
  void Visit(const std::string& parent, int depth) {
    for (const std::string& name : children_[parent]) {
      if (!Show(name, depth)) continue;
      Visit(name, depth + 1);
    }
  }

  bool Show(const std::string& name, int depth) {
    if (!seen_.insert(name).second) return false;
    const view::kai::Queue queue(by_name_[name]);
    Value made;
    const edit::answers::Queue shown(made);
    shown.set_name(name)
        .set_depth(depth)
        .set_parent(queue.spec().parentQueue())
        .set_priority(queue.spec().priority(100))
        .set_held(queue.metadata().annotations().Has(api::kai::names::kLimitsBeforeHold));
    if (queue.spec().has_displayName()) shown.set_displayName(queue.spec().displayName());
    ShowResources(queue, shown);
    const view::kai::QueueResources spec = queue.spec().resources();
    const answers::Queue now(made);
    shown.set_overQuota(IsOverQuota(spec.gpu(), now.gpu()) || IsOverQuota(spec.cpu(), now.cpu()) ||
                        IsOverQuota(spec.memory(), now.memory()));
    AddFacts(name, shown);
    out_.Append(std::move(made));
    return true;
  }

  static void ShowResources(view::kai::Queue queue, edit::answers::Queue shown) {
    const view::kai::QueueResources resources = queue.spec().resources();
    SetBounds(resources.gpu(), kGpus, shown.gpu());
    SetGpuUse(queue.status(), shown.gpu());
    SetBounds(resources.cpu(), kCores, shown.cpu());
    SetUse(queue.status(), kCpu, shown.cpu());
    SetBounds(resources.memory(), kBytes, shown.memory());
    SetUse(queue.status(), kMemory, shown.memory());
  }

  void AddFacts(const std::string& name, edit::answers::Queue shown) {
    if (const auto share = facts_.shares.find(name); share != facts_.shares.end()) {
      const auto& [cpu, memory, gpus] = share->second.fair_share;
      shown.cpu().set_fairShare(cpu * kCores);
      shown.memory().set_fairShare(memory);
      shown.gpu().set_fairShare(gpus);
    }
    if (!facts_.loads) return;
    const QueueLoad load = LoadBelow(name, 0);
    shown.set_running(load.running).set_waiting(load.waiting);
  }

  // Of the queue and its descendants; deeper trees than this are cycles.
  QueueLoad LoadBelow(const std::string& name, int depth) {
    constexpr int kDeepest = 100;
    const auto found = facts_.loads->find(name);
    QueueLoad load = found == facts_.loads->end() ? QueueLoad() : found->second;
    if (depth == kDeepest) return load;
    for (const std::string& child : children_[name]) {
      const QueueLoad more = LoadBelow(child, depth + 1);
      load.running += more.running;
      load.waiting += more.waiting;
    }
    return load;
  }

  QueueFacts facts_;
  std::map<std::string, Value> by_name_;
  std::map<std::string, std::vector<std::string>> children_;
  std::set<std::string> seen_;
  Value out_ = Value::Array();
};

std::string Bound(double value) { return value < 0 ? "∞" : Number(value); }

std::string Asked(answers::QueueResource gpu) {
  const std::string gpus = Number(gpu.requested());
  if (!gpu.has_requestedMemory()) return gpus;
  return fmt::format("{} + {} MiB", gpus, Number(gpu.requestedMemory()));
}

std::string FairShare(answers::QueueResource resource) {
  return resource.has_fairShare() ? Number(std::round(resource.fairShare() * 10) / 10) : "-";
}

std::string Gibibytes(double bytes) {
  return bytes < 0 ? "∞" : Number(std::round(bytes / (1 << 30) * 10) / 10);
}

std::string QueueNote(answers::Queue queue) {
  std::vector<std::string_view> notes;
  if (queue.overQuota()) notes.push_back("over quota");
  if (queue.held()) notes.push_back("on hold");
  return fmt::format("{}", fmt::join(notes, ", "));
}

std::string Count(bool known, int64_t count) { return known ? fmt::format("{}", count) : "-"; }

std::vector<std::string> QueueRow(answers::Queue queue, const TextOptions& options) {
  const answers::QueueResource gpu = queue.gpu(), cpu = queue.cpu(), memory = queue.memory();
  std::vector<std::string> row = {
      std::string(static_cast<size_t>(2 * queue.depth()), ' ') + std::string(queue.name()),
      Number(gpu.allocated()),
      Bound(gpu.quota()),
      FairShare(gpu),
      Bound(gpu.limit()),
      Asked(gpu),
      Number(cpu.allocated()),
      Gibibytes(memory.allocated()),
      Count(queue.has_running(), queue.running()),
      Count(queue.has_waiting(), queue.waiting())};
  if (options.wide) {
    for (std::string cell :
         {fmt::format("{}", queue.priority()), Number(gpu.weight()), Bound(cpu.quota()),
          Bound(cpu.limit()), Number(cpu.requested()), Gibibytes(memory.quota()),
          Gibibytes(memory.limit()), Gibibytes(memory.requested())}) {
      row.push_back(std::move(cell));
    }
  }
  row.push_back(Paint(options.terminal, Colour::kBusy, QueueNote(queue)));
  return row;
}

// Fair shares of every node pool that has queues.
base::Result<std::map<std::string, engine::QueueShare>> SharesOf(const std::vector<Value>& queues,
                                                                 const ReadShares& read) {
  std::map<std::string, engine::QueueShare> out;
  if (!read) return out;
  std::set<std::string> pools = {""};
  for (const Value& queue : queues) {
    pools.emplace(kube::Label(queue, services::names::kNodePoolLabel));
  }
  for (const std::string& pool : pools) {
    COPPICE_ASSIGN(const std::vector<engine::QueueShare> shares, read(pool));
    for (const engine::QueueShare& share : shares) out[share.queue] = share;
  }
  return out;
}

}  // namespace

base::Result<Value> ReadQueues(kube::Client& client, const ReadShares& shares) {
  const auto list = client.List(api::kQueues);
  if (list.Is(base::ErrorCode::kNotFound)) {
    return base::NotFound("the cluster serves no " + api::kQueues.QualifiedName() +
                          "; coppice crds --install brings them");
  }
  if (!list) return list.error().During("listing queues");
  QueueFacts facts;
  COPPICE_ASSIGN(facts.shares, SharesOf(list->items, shares));
  auto loads = ReadQueueLoads(client);
  if (!loads && !loads.Is(base::ErrorCode::kForbidden)) return loads.error();
  if (loads) facts.loads = *std::move(loads);
  return QueueTree(list->items, std::move(facts)).Flatten();
}

std::string FormatQueues(const Value& queues, const TextOptions& options) {
  std::vector<std::vector<std::string>> rows = {
      {"QUEUE", "GPUS", "QUOTA", "FAIR", "LIMIT", "ASKED", "CPU", "MEM GIB", "RUN", "WAIT"}};
  if (options.wide) {
    for (const char* title : {"PRIORITY", "WEIGHT", "CPU QUOTA", "CPU LIMIT", "CPU ASKED",
                              "MEM QUOTA", "MEM LIMIT", "MEM ASKED"}) {
      rows[0].emplace_back(title);
    }
  }
  rows[0].emplace_back("");
  for (const Value& item : queues.Items()) rows.push_back(QueueRow(answers::Queue(item), options));
  return AlignColumns(rows, options.Width());
}

}  // namespace coppice::cli
