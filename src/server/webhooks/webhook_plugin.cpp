#include "server/webhooks/webhook_plugin.h"

#include <fmt/format.h>

#include "json/parse.h"
#include "json/patch.h"
#include "json/write.h"
#include "server/base64.h"
#include "server/conversion.h"
#include "server/errors.h"
#include "server/webhooks/service_address.h"
#include "server/webhooks/shown_request.h"
#include "server/webhooks/webhook_match.h"

namespace coppice::server {
namespace {

constexpr std::string_view kMutating = "admissionregistration.k8s.io/mutatingwebhookconfigurations";
constexpr std::string_view kValidating =
    "admissionregistration.k8s.io/validatingwebhookconfigurations";
constexpr int64_t kDefaultTimeoutSeconds = 10;

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

base::Error CallFailed(const json::Value& webhook, const base::Error& why) {
  return base::Internal(fmt::format("Internal error occurred: failed calling webhook \"{}\": {}",
                                    webhook["name"].AsString(), why.message()));
}

}  // namespace

WebhookPlugin::WebhookPlugin(Core& core)
    : core_(core),
      store_(core.store()),
      mutating_(store_.Counter(kMutating)),
      validating_(store_.Counter(kValidating)) {}

// Configurations themselves are never sent to webhooks: a broken one could not be repaired.
bool WebhookPlugin::Handles(const AdmissionRequest& request) const {
  if (request.resource.group == "admissionregistration.k8s.io") return false;
  return mutating_ + validating_ > 0;
}

base::Status WebhookPlugin::Mutate(const AdmissionRequest& request, json::Value& object) {
  const std::vector<json::Value> webhooks = WebhooksOf(store_, kMutating);
  std::vector<size_t> again;  // Asked before somebody else changed the object.
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
  COPPICE_ASSIGN(const Verdict verdict, Call(request, webhook, object));
  if (verdict.patch.IsNull()) return {};
  base::Result<json::Value> patched = json::ApplyJsonPatch(object, verdict.patch);
  if (patched) {
    object = *std::move(patched);
    return {};
  }
  if (IgnoresFailure(webhook)) return {};
  return CallFailed(webhook, patched.error());
}

base::Status WebhookPlugin::Validate(const AdmissionRequest& request) {
  if (request.operation == Operation::kDelete) {
    // There is nothing to change, but those that change things may refuse it.
    for (const json::Value& webhook : WebhooksOf(store_, kMutating)) {
      COPPICE_TRY(Call(request, webhook, request.object));
    }
  }
  for (const json::Value& webhook : WebhooksOf(store_, kValidating)) {
    COPPICE_TRY(Call(request, webhook, request.object));
  }
  return {};
}

base::Result<Verdict> WebhookPlugin::Call(const AdmissionRequest& request,
                                          const json::Value& webhook, const json::Value& object) {
  const ServedPtr as = MatchedVersion(
      webhook["rules"], webhook["matchPolicy"].AsString("Equivalent"), request, *core_.registry());
  if (!as) return Verdict{};
  const ShownRequest shown(request, object, *as);
  COPPICE_ASSIGN(Verdict verdict, CallAs(shown.request, request.resource, webhook));
  if (verdict.patch.IsNull() || IsStoredVersion(*as)) return verdict;
  // The patch is for what the webhook saw.
  const base::Result<json::Value> patched =
      json::ApplyJsonPatch(shown.request.object, verdict.patch);
  if (!patched) return verdict;
  verdict.patch = json::Value::Array(
      {json::Value::Object({{"op", "replace"}, {"path", ""}, {"value", ToStored(*as, *patched)}})});
  return verdict;
}

base::Result<Verdict> WebhookPlugin::CallAs(const AdmissionRequest& request,
                                            const api::Resource& asked,
                                            const json::Value& webhook) {
  const json::Value& object = request.object;
  const base::Result<bool> matches =
      WebhookSelects(webhook, request, object, store_, expressions_, core_.authorizer());
  if (!matches && IgnoresFailure(webhook)) return Verdict{};
  if (!matches) return CallFailed(webhook, matches.error());
  if (!*matches) return Verdict{};
  if (request.dry_run && !MayCallOnDryRun(webhook)) {
    return BadRequest(fmt::format("admission webhook \"{}\" does not support dry run",
                                  webhook["name"].AsString()));
  }
  const std::string uid = core_.ids().Uid();
  const json::Value review =
      json::Value::Object({{"apiVersion", "admission.k8s.io/v1"},
                           {"kind", "AdmissionReview"},
                           {"request", ReviewRequest(request, asked, object, uid)}});
  const base::Result<json::Value> answer = Post(webhook, review);
  base::Result<Verdict> verdict = answer ? ReadReview(webhook["name"].ToString(), uid, *answer)
                                         : base::Result<Verdict>(answer.error());
  const bool refused =
      answer && (*answer)["response"].IsObject() && !(*answer)["response"]["allowed"].AsBool();
  if (verdict) {
    for (const std::string& warning : verdict->warnings) request.Warn(warning);
    for (const auto& [key, value] : verdict->annotations) {
      request.Annotate(webhook["name"].ToString() + "/" + key, value);
    }
  }
  if (verdict || refused) return verdict;
  if (IgnoresFailure(webhook)) return Verdict{};
  return CallFailed(webhook, verdict.error());
}

base::Result<std::string> WebhookPlugin::UrlOf(const json::Value& config) const {
  if (!config["url"].AsString().empty()) return config["url"].ToString();
  COPPICE_ASSIGN(const std::string address, ServiceAddress(store_, config["service"]));
  return fmt::format("https://{}{}", address, config["service"]["path"].ToString());
}

base::Result<http::ClientTransport*> WebhookPlugin::TransportFor(const json::Value& webhook) {
  const json::Value& config = webhook["clientConfig"];
  http::ClientOptions options;
  options.user_agent = "coppice-apiserver";
  options.proxy_url = "none";
  const std::optional<std::string> ca = DecodeBase64(config["caBundle"].AsString());
  if (!ca) return base::InvalidArgument("the webhook's caBundle is not base64");
  options.tls.ca_pem = *ca;
  if (config["service"].IsObject()) {
    options.tls.server_name = config["service"]["name"].ToString() + "." +
                              config["service"]["namespace"].ToString() + ".svc";
  }
  std::lock_guard lock(mutex_);
  auto& transport = transports_[options.tls.server_name + "\n" + *ca];
  if (!transport) {
    COPPICE_ASSIGN(transport, http::ClientTransport::Make(options));
  }
  return transport.get();
}

base::Result<json::Value> WebhookPlugin::Post(const json::Value& webhook,
                                              const json::Value& review) {
  COPPICE_ASSIGN(const std::string url, UrlOf(webhook["clientConfig"]));
  COPPICE_ASSIGN(http::ClientTransport* const transport, TransportFor(webhook));
  http::ClientRequest request;
  request.method = "POST";
  request.url = url + (url.find('?') == std::string::npos ? "?" : "&") + "timeout=" +
                std::to_string(webhook["timeoutSeconds"].AsInt(kDefaultTimeoutSeconds)) + "s";
  request.headers = {{"content-type", "application/json"}, {"accept", "application/json"}};
  request.body = json::Write(review);
  request.timeout = std::chrono::seconds(webhook["timeoutSeconds"].AsInt(kDefaultTimeoutSeconds));
  const http::Exchange exchange = transport->Send(std::move(request));
  if (!exchange.response) {
    return base::Internal(fmt::format("failed to call webhook: Post \"{}\": {}", url,
                                      exchange.response.error().message()));
  }
  if (exchange.response->status != 200) {
    return base::Internal(
        fmt::format("failed to call webhook: the server answered {}", exchange.response->status));
  }
  return json::Parse(exchange.response->BodyView());
}

}  // namespace coppice::server
