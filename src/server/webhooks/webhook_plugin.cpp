#include "server/webhooks/webhook_plugin.h"

#include <fmt/format.h>

#include "server/model/conversion.h"
#include "server/model/errors.h"
#include "server/webhooks/admission_review.h"
#include "server/webhooks/patched_object.h"
#include "server/webhooks/shown_request.h"
#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

constexpr std::string_view kMutating = "admissionregistration.k8s.io/mutatingwebhookconfigurations";
constexpr std::string_view kValidating =
    "admissionregistration.k8s.io/validatingwebhookconfigurations";

std::vector<json::Value> WebhooksOf(const store::Store& store, std::string_view storage) {
  std::vector<json::Value> webhooks;
  const auto configurations = store.List(storage, {});
  if (!configurations) return webhooks;
  for (const store::VersionPtr& configuration : configurations->items) {
    for (const json::Value& webhook : configuration->value()["webhooks"].Items()) {
      webhooks.push_back(webhook);
    }
  }
  return webhooks;
}

bool MayCallOnDryRun(const json::Value& webhook) {
  const std::string_view effects = webhook["sideEffects"].AsString();
  return effects == "None" || effects == "NoneOnDryRun";
}

bool IgnoresFailure(const json::Value& webhook) {
  return webhook["failurePolicy"].AsString("Fail") == "Ignore";
}

ServedPtr HookVersion(const json::Value& webhook, const AdmissionRequest& request,
                      const Registry& registry) {
  return MatchedVersion(webhook["rules"], webhook["matchPolicy"].AsString("Equivalent"), request,
                        registry);
}

base::Error CallFailed(const json::Value& webhook, const base::Error& why) {
  return InternalError(
      fmt::format("failed calling webhook \"{}\": {}", webhook["name"].AsString(), why.message()));
}

}  // namespace

WebhookPlugin::WebhookPlugin(Core& core)
    : core_(core),
      store_(core.store()),
      mutating_(store_.Counter(kMutating)),
      validating_(store_.Counter(kValidating)),
      client_(store_) {}

// Configurations themselves are never sent to webhooks: a broken one could not be repaired.
bool WebhookPlugin::Handles(const AdmissionRequest& request) const {
  if (request.resource.group == "admissionregistration.k8s.io") return false;
  return mutating_ + validating_ > 0;
}

base::Status WebhookPlugin::Mutate(const AdmissionRequest& request, json::Value& object) {
  const std::vector<json::Value> webhooks = WebhooksOf(store_, kMutating);
  std::vector<size_t> again;  // Called before another webhook changed the object.
  for (size_t i = 0; i < webhooks.size(); ++i) {
    const json::Value before = object;
    COPPICE_TRY(MutateOnce(request, webhooks[i], object));
    if (!(before == object)) {
      for (size_t j = 0; j < i; ++j) again.push_back(j);
    }
  }
  std::vector<bool> done(webhooks.size());
  for (const size_t i : again) {
    if (done[i] || webhooks[i]["reinvocationPolicy"].AsString() != "IfNeeded") continue;
    done[i] = true;
    COPPICE_TRY(MutateOnce(request, webhooks[i], object));
  }
  return {};
}

base::Status WebhookPlugin::MutateOnce(const AdmissionRequest& request, const json::Value& webhook,
                                       json::Value& object) {
  const ServedPtr as = HookVersion(webhook, request, *core_.registry());
  if (!as) return {};
  const ShownRequest shown(request, object, *as);
  COPPICE_ASSIGN(const Verdict verdict,
                 Ask(shown.request, request.resource, webhook, Stage::kMutating));
  if (verdict.patch.empty()) return {};
  COPPICE_ASSIGN(json::Value patched, PatchedObject(*as, shown.request.object, verdict.patch));
  object = ToStored(*as, std::move(patched));
  return {};
}

base::Status WebhookPlugin::Validate(const AdmissionRequest& request) {
  if (request.operation == Operation::kDelete) {
    // There is nothing to change, but those that change things may refuse it.
    for (const json::Value& webhook : WebhooksOf(store_, kMutating)) {
      COPPICE_TRY(Check(request, webhook, Stage::kMutating));
    }
  }
  for (const json::Value& webhook : WebhooksOf(store_, kValidating)) {
    COPPICE_TRY(Check(request, webhook, Stage::kValidating));
  }
  return {};
}

base::Status WebhookPlugin::Check(const AdmissionRequest& request, const json::Value& webhook,
                                  Stage stage) {
  const ServedPtr as = HookVersion(webhook, request, *core_.registry());
  if (!as) return {};
  const ShownRequest shown(request, request.object, *as);
  COPPICE_ASSIGN(const Verdict verdict, Ask(shown.request, request.resource, webhook, stage));
  if (verdict.patch.empty()) return {};
  return InternalError(
      fmt::format("admission webhook \"{}\" attempted to modify the object, which is not supported "
                  "for this operation",
                  webhook["name"].AsString()));
}

base::Result<Verdict> WebhookPlugin::Ask(const AdmissionRequest& request,
                                         const api::Resource& asked, const json::Value& webhook,
                                         Stage stage) {
  const base::Result<bool> matches =
      WebhookSelects(webhook, request, request.object, store_, expressions_, core_.authorizer());
  if (!matches && !IgnoresFailure(webhook)) {
    return Forbidden(asked, request.key.name, matches.error().message());
  }
  if (!matches || !*matches) return Verdict{};
  if (request.dry_run && !MayCallOnDryRun(webhook)) {
    return BadRequest(fmt::format("admission webhook \"{}\" does not support dry run",
                                  webhook["name"].AsString()));
  }
  base::Result<Verdict> verdict = Call(request, asked, webhook, stage);
  if (!verdict && IgnoresFailure(webhook)) return Verdict{};
  if (!verdict) return CallFailed(webhook, verdict.error());
  for (const std::string& warning : verdict->warnings) request.Warn(warning);
  for (const auto& [key, value] : verdict->annotations) {
    request.Annotate(webhook["name"].ToString() + "/" + key, value);
  }
  if (verdict->refusal) return *verdict->refusal;
  return verdict;
}

base::Result<Verdict> WebhookPlugin::Call(const AdmissionRequest& request,
                                          const api::Resource& asked, const json::Value& webhook,
                                          Stage stage) {
  const std::string uid = core_.ids().Uid();
  const json::Value review =
      json::Value::Object({{"apiVersion", "admission.k8s.io/v1"},
                           {"kind", "AdmissionReview"},
                           {"request", ReviewRequest(request, asked, request.object, uid)}});
  COPPICE_ASSIGN(const json::Value answer, client_.Post(webhook, review));
  return ReadReview(webhook["name"].ToString(), uid, stage == Stage::kMutating, answer);
}

}  // namespace coppice::server
