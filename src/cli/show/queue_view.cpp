#include "cli/show/queue_view.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "api/well_known.h"
#include "base/quantity.h"
#include "cli/common/output.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using json::Value;

struct ResourceName {
  std::string_view spec, status;
};
constexpr ResourceName kGpu = {"gpu", "nvidia.com/gpu"};
constexpr ResourceName kOthers[] = {{"cpu", "cpu"}, {"memory", "memory"}};

double QuantityOf(const Value& value) {
  if (value.IsNumber()) return value.AsDouble();
  const auto parsed = base::Quantity::Parse(value.AsString());
  return parsed ? parsed->ToDouble() : 0;
}

Value ResourceView(const Value& queue, const ResourceName& name) {
  const Value& spec = queue["spec"]["resources"][name.spec];
  return Value::Object({{"quota", spec["quota"].AsDouble()},
                        {"limit", spec["limit"].AsDouble(-1)},
                        {"weight", spec["overQuotaWeight"].AsDouble(1)},
                        {"allocated", QuantityOf(queue["status"]["allocated"][name.status])},
                        {"requested", QuantityOf(queue["status"]["requested"][name.status])}});
}

// GPUs of a device plugin, and those that come by claims: an extended resource, or a device class,
// which is what a name without a slash is.
bool IsGpu(std::string_view name) {
  if (name.find('/') != name.npos) return name.ends_with("/gpu");
  return name.find("gpu") != name.npos || name.find("GPU") != name.npos;
}

double GpusIn(const Value& quantities) {
  double gpus = 0;
  for (const json::Member& each : quantities.Members()) {
    if (IsGpu(each.name())) gpus += QuantityOf(each.value);
  }
  return gpus;
}

// Pods that ask for some of a GPU's memory take no part of a GPU until they have one: what they ask
// for, in MiB, stands beside it.
Value GpuView(const Value& queue) {
  Value view = ResourceView(queue, kGpu);
  for (const char* which : {"allocated", "requested"}) {
    view.Set(which, GpusIn(queue["status"][which]));
  }
  const double memory = QuantityOf(queue["status"]["requested"]["run.ai/gpu.memory"]);
  if (memory > 0) view.Set("requestedMemory", memory);
  return view;
}

class QueueTree {
 public:
  explicit QueueTree(const std::vector<Value>& queues) {
    for (const Value& queue : queues) by_name_[queue["metadata"]["name"].ToString()] = queue;
    for (const auto& [name, queue] : by_name_) {
      const std::string parent = queue["spec"]["parentQueue"].ToString();
      children_[by_name_.contains(parent) ? parent : ""].push_back(name);
    }
  }

  Value Flatten() {
    Visit("", 0);
    // Queues in a cycle hang below no root; show them rather than hide them.
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
    const Value& queue = by_name_[name];
    Value view = Value::Object({{"name", name},
                                {"depth", depth},
                                {"parent", queue["spec"]["parentQueue"].AsString()},
                                {"priority", queue["spec"]["priority"].AsInt(100)}});
    view.Set("gpu", GpuView(queue));
    for (const ResourceName& resource : kOthers) {
      view.Set(resource.spec, ResourceView(queue, resource));
    }
    out_.Append(std::move(view));
  }

  std::map<std::string, Value> by_name_;
  std::map<std::string, std::vector<std::string>> children_;
  std::set<std::string> seen_;
  Value out_ = Value::Array();
};

std::string Bound(double value) { return value < 0 ? "∞" : Number(value); }

std::string Asked(const Value& gpu) {
  const std::string gpus = Number(gpu["requested"].AsDouble());
  if (!gpu.Has("requestedMemory")) return gpus;
  return fmt::format("{} + {} MiB", gpus, Number(gpu["requestedMemory"].AsDouble()));
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
  for (const Value& queue : queues.Items()) {
    const Value& gpu = queue["gpu"];
    rows.push_back({std::string(static_cast<size_t>(2 * queue["depth"].AsInt()), ' ') +
                        queue["name"].ToString(),
                    fmt::format("{}", queue["priority"].AsInt()), Bound(gpu["quota"].AsDouble()),
                    Bound(gpu["limit"].AsDouble()), Number(gpu["weight"].AsDouble()),
                    Number(gpu["allocated"].AsDouble()), Asked(gpu)});
  }
  return AlignColumns(rows);
}

}  // namespace coppice::cli
