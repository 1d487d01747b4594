#include "services/admission/queue.h"

#include "kube/object.h"

namespace coppice::services::admission {
namespace {

constexpr const char* kResources[] = {"cpu", "gpu", "memory"};

double Quota(const json::Value& queue, const char* resource) {
  return queue["spec"]["resources"][resource]["quota"].AsDouble();
}

void WarnAboutParent(const json::Value& queue, const QueueFamily& family, Verdict& verdict) {
  const json::Value& parent = *family.parent;
  for (const char* resource : kResources) {
    if (Quota(queue, resource) <= Quota(parent, resource)) continue;
    verdict.warnings.push_back(fmt::format("{} quota of queue {} exceeds that of its parent {}",
                                           resource, kube::Name(queue), kube::Name(parent)));
  }
  double sum = Quota(queue, "cpu");
  for (const json::Value& sibling : family.siblings) sum += Quota(sibling, "cpu");
  if (sum > Quota(parent, "cpu")) {
    verdict.warnings.push_back(
        fmt::format("cpu quotas of the children of queue {} exceed its own", kube::Name(parent)));
  }
}

void WarnAboutChildren(const json::Value& queue, const QueueFamily& family, Verdict& verdict) {
  if (family.children.empty()) return;
  for (const json::Value& child : family.children) {
    if (Quota(child, "cpu") > Quota(queue, "cpu")) {
      verdict.warnings.push_back(fmt::format("cpu quota of child queue {} exceeds that of {}",
                                             kube::Name(child), kube::Name(queue)));
    }
  }
  for (const char* resource : kResources) {
    double sum = 0;
    for (const json::Value& child : family.children) sum += Quota(child, resource);
    if (sum > Quota(queue, resource)) {
      verdict.warnings.push_back(fmt::format("{} quotas of the children of queue {} exceed its own",
                                             resource, kube::Name(queue)));
    }
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
      return Verdict::Refuse(fmt::format("parent queue {} was not found", parent));
    }
    if (!(*family->parent)["spec"]["resources"].IsObject()) {
      return Verdict::Refuse(fmt::format("parent queue {} has no resources", parent));
    }
    WarnAboutParent(queue, *family, verdict);
  }
  WarnAboutChildren(queue, *family, verdict);
  return verdict;
}

Verdict ValidateQueueDeletion(const json::Value& queue) {
  if (queue["status"]["childQueues"].empty()) return {};
  return Verdict::Refuse(
      fmt::format("queue {} has child queues and cannot be deleted", kube::Name(queue)));
}

}  // namespace coppice::services::admission
