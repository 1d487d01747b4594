#include "page/facts/queue_facts.h"

#include "api/view/kai.h"
#include "api/view/kueue.h"
#include "page/facts/amounts.h"

namespace coppice::page {
namespace {

constexpr double kMilli = 1000, kMega = 1e6;

// Queues count CPU in millicores and memory in millions of bytes; -1 means no bound.
QueueAmount ReadBounds(view::kai::QueueResource spec, double unit) {
  const auto bound = [&](double value) { return value < 0 ? -1 : value * unit; };
  QueueAmount out;
  out.quota = bound(spec.quota());
  out.limit = bound(spec.limit(-1));
  out.weight = spec.overQuotaWeight(1);
  return out;
}

void AddUse(const Amounts& held, const Amounts& asked, QueueFacts& out) {
  out.gpu.held = held.gpus;
  out.cpu.held = held.cpu;
  out.memory.held = held.memory;
  out.gpu.asked = asked.gpus;
  out.cpu.asked = asked.cpu;
  out.memory.asked = asked.memory;
}

QueueAmount* AmountFor(std::string_view resource, QueueFacts& facts) {
  if (resource == "cpu") return &facts.cpu;
  if (resource == "memory") return &facts.memory;
  return IsGpuResource(resource) ? &facts.gpu : nullptr;
}

// What it may borrow is on top of its quota; without a bound, all of its cohort's.
void AddQuota(view::kueue::ResourceQuota quota, bool cohort, QueueAmount& out) {
  const double nominal = QuantityOf(quota.nominalQuota());
  out.quota += nominal;
  if (cohort && !quota.has_borrowingLimit()) return;
  out.limit = std::max(out.limit, 0.0) + nominal + QuantityOf(quota.borrowingLimit());
}

}  // namespace

QueueFacts ReadQueueFacts(const json::Value& object) {
  const view::kai::Queue queue(object);
  const view::kai::QueueResources resources = queue.spec().resources();
  QueueFacts out;
  out.kind = "Queue";
  out.parent = queue.spec().parentQueue();
  out.priority = queue.spec().priority(100);
  out.gpu = ReadBounds(resources.gpu(), 1);
  out.cpu = ReadBounds(resources.cpu(), 1 / kMilli);
  out.memory = ReadBounds(resources.memory(), kMega);
  AddUse(AmountsIn(queue.status().allocated()), AmountsIn(queue.status().requested()), out);
  return out;
}

QueueFacts ReadClusterQueueFacts(const json::Value& object) {
  const view::kueue::ClusterQueue queue(object);
  QueueFacts out;
  out.kind = "ClusterQueue";
  const std::string_view cohort = queue.spec().cohortName();  // v1beta1 calls it cohort.
  out.parent = cohort.empty() ? queue.spec().cohort() : cohort;
  for (const view::kueue::ResourceGroup group : queue.spec().resourceGroups()) {
    for (const view::kueue::FlavorQuotas flavor : group.flavors()) {
      for (const view::kueue::ResourceQuota quota : flavor.resources()) {
        QueueAmount* amount = AmountFor(quota.name(), out);
        if (amount != nullptr) AddQuota(quota, !out.parent.empty(), *amount);
      }
    }
  }
  for (const view::kueue::FlavorUsage flavor : queue.status().flavorsUsage()) {
    for (const view::kueue::ResourceUsage usage : flavor.resources()) {
      QueueAmount* amount = AmountFor(usage.name(), out);
      if (amount != nullptr) amount->held += QuantityOf(usage.total());
    }
  }
  return out;
}

std::string ReadLocalQueue(const json::Value& local_queue) {
  return std::string(view::kueue::LocalQueue(local_queue).spec().clusterQueue());
}

}  // namespace coppice::page
