#include "services/admission/queue.h"

#include <fmt/ranges.h>

#include "kube/object.h"

namespace coppice::services::admission {
namespace {

double Quota(const json::Value& queue, const char* resource) {
  return queue["spec"]["resources"][resource]["quota"].AsDouble();
}

struct Resource {
  const char* field;
  const char* name;
};
constexpr Resource kCpu = {"cpu", "CPU"};
constexpr Resource kGpu = {"gpu", "GPU"};
constexpr Resource kMemory = {"memory", "Memory"};

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
  for (const json::Value& queue : queues) sum += Quota(queue, resource.field);
  return sum;
}

void WarnAboutParent(const json::Value& queue, const QueueFamily& family, Verdict& verdict) {
  const json::Value& parent = *family.parent;
  const std::string whose = fmt::format("parent queue {}", kube::Name(parent));
  const auto compare = [&](const Resource& resource) {
    Compare("child queue", Quota(queue, resource.field), whose, Quota(parent, resource.field),
            resource, verdict);
  };
  compare(kCpu);
  Compare("total children", Quota(queue, kCpu.field) + Sum(family.siblings, kCpu), whose,
          Quota(parent, kCpu.field), kCpu, verdict);
  compare(kGpu);
  compare(kMemory);
}

void WarnAboutChildren(const json::Value& queue, const QueueFamily& family, Verdict& verdict) {
  for (const json::Value& child : family.children) {
    Compare(fmt::format("child queue {}", kube::Name(child)), Quota(child, kCpu.field), "parent",
            Quota(queue, kCpu.field), kCpu, verdict);
  }
  if (family.children.empty()) return;
  for (const Resource* resource : {&kCpu, &kGpu, &kMemory}) {
    Compare("total children", Sum(family.children, *resource), "parent",
            Quota(queue, resource->field), *resource, verdict);
  }
}

}  // namespace

Verdict ValidateQueue(const json::Value& queue, const QueueFamily* family) {
  if (!queue["spec"]["resources"].IsObject()) {
    Verdict verdict = Verdict::Refuse("resources must be specified");
    verdict.warnings.push_back("resources must be specified");
    return verdict;
  }
  Verdict verdict;
  if (!family) return verdict;
  const std::string_view parent = queue["spec"]["parentQueue"].AsString();
  if (!parent.empty()) {
    if (!family->parent) {
      return Verdict::Refuse(fmt::format(
          "failed to get parent queue {0}: queues.scheduling.run.ai \"{0}\" not found", parent));
    }
    if (!(*family->parent)["spec"]["resources"].IsObject()) {
      return Verdict::Refuse(fmt::format("parent queue {} has no resources defined", parent));
    }
    WarnAboutParent(queue, *family, verdict);
  }
  WarnAboutChildren(queue, *family, verdict);
  return verdict;
}

Verdict ValidateQueueDeletion(const json::Value& queue) {
  if (queue["status"]["childQueues"].empty()) return {};
  std::vector<std::string_view> children;
  for (const json::Value& child : queue["status"]["childQueues"].Items()) {
    children.push_back(child.AsString());
  }
  return Verdict::Refuse(fmt::format("cannot delete queue {}: it has child queues [{}]",
                                     kube::Name(queue), fmt::join(children, " ")));
}

}  // namespace coppice::services::admission
