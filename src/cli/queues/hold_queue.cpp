#include "cli/queues/hold_queue.h"

#include <fmt/format.h>

#include "api/edit/kai.h"
#include "api/kai/own_names.h"
#include "api/key/kai.h"
#include "api/view/kai.h"
#include "json/parse.h"
#include "json/write.h"
#include "kube/object.h"

namespace coppice::cli {
namespace {

using api::kai::names::kLimitsBeforeHold;
using json::Value;

// An unset limit is written as null, which a merge patch takes as "remove".
void KeepLimit(view::kai::QueueResource resource, edit::kai::QueueResource kept) {
  Value limit;
  if (resource.has_limit()) limit = resource.limit();
  kept.Json().Set(key::kai::QueueResource::limit, std::move(limit));
}

}  // namespace

bool IsOnHold(const Value& queue) {
  return kube::Metadata(queue).annotations().Has(kLimitsBeforeHold);
}

Value HoldPatch(const Value& object) {
  if (IsOnHold(object)) return {};
  const view::kai::QueueResources now = view::kai::Queue(object).spec().resources();
  Value kept;
  const edit::kai::QueueResources limits(kept);
  KeepLimit(now.gpu(), limits.gpu());
  KeepLimit(now.cpu(), limits.cpu());
  KeepLimit(now.memory(), limits.memory());
  Value patch;
  const edit::kai::Queue queue(patch);
  queue.metadata().annotations().Set(kLimitsBeforeHold, json::Write(kept));
  const edit::kai::QueueResources resources = queue.spec().resources();
  resources.gpu().set_limit(0);
  resources.cpu().set_limit(0);
  resources.memory().set_limit(0);
  return patch;
}

base::Result<Value> ResumePatch(const Value& object) {
  if (!IsOnHold(object)) return Value();
  const std::string text(kube::Annotation(object, kLimitsBeforeHold));
  auto limits = json::Parse(text);
  if (!limits || !limits->IsObject()) {
    return base::InvalidArgument(fmt::format(
        "annotation {} of queue {} is no JSON object; set the limits with coppice queue set {} "
        "--gpu-limit …, and remove the annotation",
        kLimitsBeforeHold, kube::Name(object), kube::Name(object)));
  }
  Value patch;
  const edit::kai::Queue queue(patch);
  queue.metadata().annotations().Set(kLimitsBeforeHold, Value());
  queue.spec().set_resources(*std::move(limits));
  return patch;
}

}  // namespace coppice::cli
