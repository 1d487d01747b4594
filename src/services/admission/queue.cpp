#include "services/admission/queue.h"

#include <fmt/ranges.h>

#include "kube/object.h"

namespace coppice::services::admission {
namespace {

using view::kai::Queue;

struct Resource {
  const char* name;
  view::kai::QueueResource (view::kai::QueueResources::*of)() const;
};
constexpr Resource kCpu = {"CPU", &view::kai::QueueResources::cpu};
constexpr Resource kGpu = {"GPU", &view::kai::QueueResources::gpu};
constexpr Resource kMemory = {"Memory", &view::kai::QueueResources::memory};

double Quota(Queue queue, const Resource& resource) {
  return (queue.spec().resources().*resource.of)().quota();
}

// GPUs have parts.
std::string Amount(double quota, const Resource& resource) {
  return &resource == &kGpu ? fmt::format("{:.2f}", quota) : fmt::format("{:.0f}", quota);
}

// "WHAT quota (2) exceeds WHOSE quota (1)", when it does.
void Compare(std::string_view what, double quota, std::string_view whose, double other,
             const Resource& resource, Verdict& verdict) {
  if (quota <= other) return;
  verdict.warnings.push_back(fmt::format("{} {} quota ({}) exceeds {} {} quota ({})", what,
                                         resource.name, Amount(quota, resource), whose,
                                         resource.name, Amount(other, resource)));
}

double Sum(const std::vector<json::Value>& queues, const Resource& resource) {
  double sum = 0;
  for (const json::Value& queue : queues) sum += Quota(Queue(queue), resource);
  return sum;
}

void WarnAboutParent(Queue queue, const QueueFamily& family, Verdict& verdict) {
  const Queue parent(*family.parent);
  const std::string whose = fmt::format("parent queue {}", parent.metadata().name());
  const auto compare = [&](const Resource& resource) {
    Compare("child queue", Quota(queue, resource), whose, Quota(parent, resource), resource,
            verdict);
  };
  compare(kCpu);
  Compare("total children", Quota(queue, kCpu) + Sum(family.siblings, kCpu), whose,
          Quota(parent, kCpu), kCpu, verdict);
  compare(kGpu);
  compare(kMemory);
}

void WarnAboutChildren(Queue queue, const QueueFamily& family, Verdict& verdict) {
  for (const json::Value& child : family.children) {
    Compare(fmt::format("child queue {}", kube::Name(child)), Quota(Queue(child), kCpu), "parent",
            Quota(queue, kCpu), kCpu, verdict);
  }
  if (family.children.empty()) return;
  for (const Resource* resource : {&kCpu, &kGpu, &kMemory}) {
    Compare("total children", Sum(family.children, *resource), "parent", Quota(queue, *resource),
            *resource, verdict);
  }
}

}  // namespace

Verdict ValidateQueue(Queue queue, const QueueFamily* family) {
  if (!queue.spec().resources()) {
    Verdict verdict = Verdict::Refuse("resources must be specified");
    verdict.warnings.push_back("resources must be specified");
    return verdict;
  }
  Verdict verdict;
  if (!family) return verdict;
  const std::string_view parent = queue.spec().parentQueue();
  if (!parent.empty()) {
    if (!family->parent) {
      return Verdict::Refuse(fmt::format(
          "failed to get parent queue {0}: queues.scheduling.run.ai \"{0}\" not found", parent));
    }
    if (!Queue(*family->parent).spec().resources()) {
      return Verdict::Refuse(fmt::format("parent queue {} has no resources defined", parent));
    }
    WarnAboutParent(queue, *family, verdict);
  }
  WarnAboutChildren(queue, *family, verdict);
  return verdict;
}

Verdict ValidateQueueDeletion(Queue queue) {
  const auto children = queue.status().childQueues();
  if (children.empty()) return {};
  const std::vector<std::string_view> names(children.begin(), children.end());
  return Verdict::Refuse(fmt::format("cannot delete queue {}: it has child queues [{}]",
                                     queue.metadata().name(), fmt::join(names, " ")));
}

}  // namespace coppice::services::admission
