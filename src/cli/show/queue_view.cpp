#include "cli/show/queue_view.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/edit/answers.h"
#include "api/view/answers.h"
#include "api/view/kai.h"
#include "api/well_known.h"
#include "base/quantity.h"
#include "cli/common/output.h"
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

// The queue's bounds for a resource; usage is set separately, by name.
void SetBounds(view::kai::QueueResource spec, edit::answers::QueueResource shown) {
  shown.set_quota(spec.quota()).set_limit(spec.limit(-1)).set_weight(spec.overQuotaWeight(1));
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

class QueueTree {
 public:
  explicit QueueTree(const std::vector<Value>& queues) {
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
      Show(name, depth);
      Visit(name, depth + 1);
    }
  }

  void Show(const std::string& name, int depth) {
    if (!seen_.insert(name).second) return;
    const view::kai::Queue queue(by_name_[name]);
    Value made;
    const edit::answers::Queue shown(made);
    shown.set_name(name)
        .set_depth(depth)
        .set_parent(queue.spec().parentQueue())
        .set_priority(queue.spec().priority(100));
    const view::kai::QueueResources resources = queue.spec().resources();
    SetBounds(resources.gpu(), shown.gpu());
    SetGpuUse(queue.status(), shown.gpu());
    SetBounds(resources.cpu(), shown.cpu());
    SetUse(queue.status(), kCpu, shown.cpu());
    SetBounds(resources.memory(), shown.memory());
    SetUse(queue.status(), kMemory, shown.memory());
    out_.Append(std::move(made));
  }

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

}  // namespace

base::Result<Value> ReadQueues(kube::Client& client) {
  const auto list = client.List(api::kQueues);
  if (list.Is(base::ErrorCode::kNotFound)) {
    return base::NotFound("the cluster serves no " + api::kQueues.QualifiedName() +
                          "; coppice crds --install brings them");
  }
  if (!list) return list.error().During("listing queues");
  return QueueTree(list->items).Flatten();
}

std::string FormatQueues(const Value& queues) {
  std::vector<std::vector<std::string>> rows = {
      {"QUEUE", "PRIORITY", "GPU QUOTA", "GPU LIMIT", "WEIGHT", "GPUS HELD", "GPUS ASKED"}};
  for (const Value& item : queues.Items()) {
    const answers::Queue queue(item);
    const answers::QueueResource gpu = queue.gpu();
    rows.push_back(
        {std::string(static_cast<size_t>(2 * queue.depth()), ' ') + std::string(queue.name()),
         fmt::format("{}", queue.priority()), Bound(gpu.quota()), Bound(gpu.limit()),
         Number(gpu.weight()), Number(gpu.allocated()), Asked(gpu)});
  }
  return AlignColumns(rows);
}

}  // namespace coppice::cli
