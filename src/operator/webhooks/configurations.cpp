#include "operator/webhooks/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "api/well_known.h"
#include "base/base64.h"
#include "kube/cache/apply.h"
#include "kube/object.h"
#include "operator/runtime/labels.h"
#include "operator/webhooks/admission.h"
#include "operator/webhooks/reviews.h"

namespace coppice::operators::webhooks {
namespace {

using json::Value;

constexpr int kTimeoutSeconds = 10;

Value Strings(std::initializer_list<std::string_view> texts) {
  Value list = Value::Array();
  for (const std::string_view text : texts) list.Append(text);
  return list;
}

Value Rule(std::string_view group, Value versions, Value resources, Value operations) {
  return Value::Object({{"apiGroups", Strings({group})},
                        {"apiVersions", std::move(versions)},
                        {"resources", std::move(resources)},
                        {"operations", std::move(operations)}});
}

Value Client(const WebhookAddress& address, std::string_view path, const std::string& ca_pem) {
  Value config = Value::Object({{"caBundle", base::Base64Encode(ca_pem)}});
  if (!address.url.empty()) {
    config.Set("url", address.url + std::string(path));
  } else {
    config.Set(
        "service",
        Value::Object({{"name", "grove-operator"}, {"namespace", address.ns}, {"path", path}}));
  }
  return config;
}

Value Webhook(std::string_view name, Value client, Value rules) {
  return Value::Object({{"name", name},
                        {"admissionReviewVersions", Strings({"v1"})},
                        {"clientConfig", std::move(client)},
                        {"failurePolicy", "Fail"},
                        {"matchPolicy", "Exact"},
                        {"sideEffects", "None"},
                        {"timeoutSeconds", kTimeoutSeconds},
                        {"rules", std::move(rules)}});
}

Value Configuration(const kube::Resource& resource, std::string_view name, Value webhook) {
  Value object = kube::NewObject(resource, "", std::string(name));
  object.Set("webhooks", Value::Array({std::move(webhook)}));
  return object;
}

Value SetRules() {
  return Value::Array({Rule("grove.io", Strings({"v1alpha1"}), Strings({"podcliquesets"}),
                            Strings({"CREATE", "UPDATE"}))});
}

Value ProtectedRules() {
  const Value change = Strings({"UPDATE", "DELETE"});
  const Value all = Strings({"CREATE", "UPDATE", "DELETE"});
  return Value::Array(
      {Rule("", Strings({"v1"}), Strings({"secrets", "serviceaccounts", "services"}), change),
       Rule("rbac.authorization.k8s.io", Strings({"v1"}), Strings({"roles", "rolebindings"}),
            change),
       Rule("autoscaling", Strings({"v1", "v2"}), Strings({"horizontalpodautoscalers"}), change),
       Rule("", Strings({"v1"}), Strings({"pods"}), Strings({"UPDATE"})),
       Rule("grove.io", Strings({"v1alpha1"}), Strings({"podcliques", "podcliquescalinggroups"}),
            all),
       Rule("scheduler.grove.io", Strings({"v1alpha1"}), Strings({"podgangs"}), all)});
}

Value AuthorizerConfiguration(const WebhookAddress& address, const std::string& ca_pem) {
  Value webhook =
      Webhook(kAuthorizerName, Client(address, kAuthorizerPath, ca_pem), ProtectedRules());
  webhook.Set(
      "objectSelector",
      Value::Object({{"matchLabels", Value::Object({{labels::kManagedBy, labels::kOperator}})}}));
  return Configuration(api::kValidatingWebhooks, "authorizer-webhook", std::move(webhook));
}

// A process outside the cluster cannot take the place of a Service in a webhook of a chart: the
// chart's next upgrade would put the Service beside its URL, which no API server accepts. So it
// adds a webhook of its own, and a condition that never holds sets the chart's aside; a merge that
// knows neither leaves both as they are.
constexpr std::string_view kOutside = "outside.";
constexpr char kSetAside[] = "set-aside.grove.io";

bool IsOutside(const Value& webhook) { return webhook["name"].AsString().starts_with(kOutside); }

bool CallsService(const Value& webhook) { return webhook["clientConfig"].Has("service"); }

Value Kept(const Value& list, const std::function<bool(const Value&)>& keep) {
  Value kept = Value::Array();
  for (const Value& item : list.Items()) {
    if (keep(item)) kept.Append(item);
  }
  return kept;
}

bool IsSetAsideBy(const Value& condition) { return condition["name"].AsString() == kSetAside; }

void SetAside(Value& webhook) {
  if (IsSetAside(webhook)) return;
  webhook.Mutable("matchConditions")
      .Append(Value::Object({{"name", kSetAside}, {"expression", "false"}}));
}

void TakeBack(Value& webhook) {
  if (!webhook.Has("matchConditions")) return;
  const Value others = Kept(webhook["matchConditions"],
                            [](const Value& condition) { return !IsSetAsideBy(condition); });
  if (others.empty()) {
    webhook.Erase("matchConditions");
  } else {
    webhook.Set("matchConditions", others);
  }
}

// As it is without any process outside the cluster.
Value WithoutOutside(Value present) {
  present.Set("webhooks",
              Kept(present["webhooks"], [](const Value& webhook) { return !IsOutside(webhook); }));
  for (Value& webhook : present.Mutable("webhooks").MutableItems()) TakeBack(webhook);
  return present;
}

Value CalledAtUrl(Value present, const Value& wanted) {
  Value ours = wanted["webhooks"].At(0);
  bool beside = false;
  for (Value& webhook : present.Mutable("webhooks").MutableItems()) {
    if (CallsService(webhook)) {
      SetAside(webhook);
      beside = true;
    } else {
      webhook.Set("clientConfig", ours["clientConfig"]);
    }
  }
  if (!beside) return present;
  ours.Set("name", fmt::format("{}{}", kOutside, ours["name"].AsString()));
  present.Mutable("webhooks").Append(std::move(ours));
  return present;
}

// The present configuration with our CA; others may have changed the rest. A chart may leave the
// webhooks themselves to us. A URL is not kept: its process has ended, or we take its place.
Value WithOurClient(const Value& found, const Value& wanted) {
  Value present = WithoutOutside(found);
  if (present["webhooks"].empty()) return present.Set("webhooks", wanted["webhooks"]);
  const Value ours = wanted["webhooks"].At(0)["clientConfig"];
  if (ours.Has("url")) return CalledAtUrl(std::move(present), wanted);
  for (Value& webhook : present.Mutable("webhooks").MutableItems()) {
    Value& client = webhook.Mutable("clientConfig");
    if (client.Has("url")) {
      client = ours;
    } else {
      client.Set("caBundle", ours["caBundle"]);
    }
  }
  return present;
}

// Leaves a configuration to the Service that it called before, or deletes it.
base::Status Withdraw(kube::Client& client, const kube::Resource& resource, const Value& present) {
  if (!CallsInsteadOfService(present)) return client.Delete(resource, kube::KeyOf(present));
  const auto written = client.Update(resource, WithoutOutside(present));
  return written ? base::Status() : base::Status(written.error());
}

std::string UrlOf(const Value& configuration) {
  for (const Value& webhook : configuration["webhooks"].Items()) {
    if (webhook["clientConfig"].Has("url")) return webhook["clientConfig"]["url"].ToString();
  }
  return {};
}

const kube::Resource& ResourceOf(const Value& configuration) {
  return kube::Kind(configuration) == api::kMutatingWebhooks.kind ? api::kMutatingWebhooks
                                                                  : api::kValidatingWebhooks;
}

// Grove's role lets the operator update what the chart made, not patch it.
base::Status Install(kube::Client& client, const Value& wanted) {
  const kube::Resource& resource = ResourceOf(wanted);
  const api::ObjectKey key{"", std::string(kube::Name(wanted))};
  base::Error last = base::Conflict("");
  for (int attempt = 0; attempt < kube::kConflictAttempts; ++attempt) {
    const auto present = client.Get(resource, key);
    if (!present && !present.Is(base::ErrorCode::kNotFound)) return present.error();
    const Value object = present ? WithOurClient(*present, wanted) : wanted;
    if (present && object == *present) return {};
    const auto written =
        present ? client.Update(resource, object) : client.Create(resource, object);
    if (written) return {};
    last = written.error();
    if (!last.Is(base::ErrorCode::kConflict) && !last.Is(base::ErrorCode::kAlreadyExists)) break;
  }
  return last.During("installing " + key.name);
}

}  // namespace

std::vector<Value> MakeConfigurations(const WebhookAddress& address, const std::string& ca_pem,
                                      bool authorizer) {
  std::vector<Value> configurations = {
      Configuration(
          api::kMutatingWebhooks, "podcliqueset-defaulting-webhook",
          Webhook(kSetDefaulterName, Client(address, kDefaultingPath, ca_pem), SetRules())),
      Configuration(
          api::kValidatingWebhooks, "podcliqueset-validating-webhook",
          Webhook(kSetValidatorName, Client(address, kValidatingPath, ca_pem), SetRules())),
      Configuration(api::kValidatingWebhooks, "clustertopology-validating-webhook",
                    Webhook(kBindingValidatorName, Client(address, kBindingPath, ca_pem),
                            Value::Array({Rule("grove.io", Strings({"v1alpha1"}),
                                               Strings({"clustertopologybindings"}),
                                               Strings({"CREATE", "UPDATE"}))})))};
  if (authorizer) configurations.push_back(AuthorizerConfiguration(address, ca_pem));
  return configurations;
}

base::Status InstallConfigurations(kube::Client& client, const WebhookAddress& address,
                                   const std::string& ca_pem, bool authorizer) {
  for (const Value& wanted : MakeConfigurations(address, ca_pem, authorizer)) {
    COPPICE_TRY(Install(client, wanted));
  }
  return {};
}

bool IsSetAside(const Value& webhook) {
  const auto conditions = webhook["matchConditions"].Items();
  return std::any_of(conditions.begin(), conditions.end(), &IsSetAsideBy);
}

bool CallsInsteadOfService(const Value& configuration) {
  const auto webhooks = configuration["webhooks"].Items();
  return std::any_of(webhooks.begin(), webhooks.end(), &IsOutside);
}

base::Status WithdrawConfigurations(kube::Client& client, const std::string& url) {
  for (const Value& ours : MakeConfigurations({.url = url, .ns = ""}, "", /*authorizer=*/true)) {
    const kube::Resource& resource = ResourceOf(ours);
    const auto present = client.Get(resource, kube::KeyOf(ours));
    if (present.Is(base::ErrorCode::kNotFound)) continue;
    if (!present) return present.error();
    if (UrlOf(*present) == UrlOf(ours)) COPPICE_TRY(Withdraw(client, resource, *present));
  }
  return {};
}

}  // namespace coppice::operators::webhooks
