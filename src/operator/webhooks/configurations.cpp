#include "operator/webhooks/configurations.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "api/edit/admissionregistration.h"
#include "api/view/admissionregistration.h"
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

// Mutating and validating webhooks have the fields that we use in the same places.
using WebhookEdit = edit::admissionregistration::MutatingWebhook;
using WebhookView = view::admissionregistration::MutatingWebhook;
using ConfigurationEdit = edit::admissionregistration::MutatingWebhookConfiguration;
using ConfigurationView = view::admissionregistration::MutatingWebhookConfiguration;

Value Rule(std::string_view group, Value versions, Value resources, Value operations) {
  Value rule = Value::Object();
  edit::admissionregistration::RuleWithOperations(rule)
      .set_apiGroups(Strings({group}))
      .set_apiVersions(std::move(versions))
      .set_resources(std::move(resources))
      .set_operations(std::move(operations));
  return rule;
}

Value Client(const WebhookAddress& address, std::string_view path, const std::string& ca_pem) {
  Value config = Value::Object();
  const edit::admissionregistration::WebhookClientConfig edit(config);
  edit.set_caBundle(base::Base64Encode(ca_pem));
  if (!address.url.empty()) {
    edit.set_url(address.url + std::string(path));
  } else {
    edit.service().set_name("grove-operator").set_namespace_(address.ns).set_path(path);
  }
  return config;
}

Value Webhook(std::string_view name, Value client, Value rules) {
  Value webhook = Value::Object();
  WebhookEdit(webhook)
      .set_name(name)
      .set_admissionReviewVersions(Strings({"v1"}))
      .set_clientConfig(std::move(client))
      .set_failurePolicy("Fail")
      .set_matchPolicy("Exact")
      .set_sideEffects("None")
      .set_timeoutSeconds(kTimeoutSeconds)
      .set_rules(std::move(rules));
  return webhook;
}

Value Configuration(const kube::Resource& resource, std::string_view name, Value webhook) {
  Value object = kube::NewObject(resource, "", std::string(name));
  ConfigurationEdit(object).set_webhooks(Value::Array({std::move(webhook)}));
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
  WebhookEdit(webhook).objectSelector().matchLabels().Set(labels::kManagedBy, labels::kOperator);
  return Configuration(api::kValidatingWebhooks, "authorizer-webhook", std::move(webhook));
}

// A process outside the cluster cannot replace the Service in a chart's webhook: the chart's next
// upgrade would add the Service next to the URL, which API servers reject. So it adds its own
// webhook, and disables the chart's with a match condition that is never true. A merge that knows
// neither leaves both unchanged.
constexpr std::string_view kOutside = "outside.";
constexpr char kSetAside[] = "set-aside.grove.io";

bool IsOutside(WebhookView webhook) { return webhook.name().starts_with(kOutside); }

bool CallsService(WebhookView webhook) { return webhook.clientConfig().has_service(); }

template <typename Item, typename Test>
Value Without(view::List<Item> list, const Test& drop) {
  Value kept = Value::Array();
  for (const Item item : list) {
    if (!drop(item)) kept.Append(item.Json());
  }
  return kept;
}

bool IsSetAsideBy(view::admissionregistration::MatchCondition condition) {
  return condition.name() == kSetAside;
}

void SetAside(Value& webhook) {
  if (IsSetAside(webhook)) return;
  WebhookEdit(webhook).add_matchConditions().set_name(kSetAside).set_expression("false");
}

void TakeBack(Value& webhook) {
  const WebhookView present(webhook);
  if (!present.has_matchConditions()) return;
  Value others = Without(present.matchConditions(), IsSetAsideBy);
  if (others.empty()) {
    WebhookEdit(webhook).clear_matchConditions();
  } else {
    WebhookEdit(webhook).set_matchConditions(std::move(others));
  }
}

std::vector<Value>& WebhooksIn(Value& configuration) {
  return ConfigurationEdit(configuration).webhooks().Json().MutableItems();
}

// The configuration without any process outside the cluster.
Value WithoutOutside(Value present) {
  ConfigurationEdit(present).set_webhooks(
      Without(ConfigurationView(present).webhooks(), IsOutside));
  for (Value& webhook : WebhooksIn(present)) TakeBack(webhook);
  return present;
}

Value CalledAtUrl(Value present, const Value& wanted) {
  const WebhookView ours = ConfigurationView(wanted).webhooks().At(0);
  bool beside = false;
  for (Value& webhook : WebhooksIn(present)) {
    if (CallsService(WebhookView(webhook))) {
      SetAside(webhook);
      beside = true;
    } else {
      WebhookEdit(webhook).set_clientConfig(ours.clientConfig().Json());
    }
  }
  if (!beside) return present;
  Value added = ours.Json();
  WebhookEdit(added).set_name(fmt::format("{}{}", kOutside, ours.name()));
  WebhooksIn(present).push_back(std::move(added));
  return present;
}

// The existing configuration with our CA; others may have changed the rest. A chart may leave the
// webhooks themselves to us. A URL is not kept: its process has ended, or we replace it.
Value WithOurClient(const Value& found, const Value& wanted) {
  Value present = WithoutOutside(found);
  const auto webhooks = ConfigurationView(wanted).webhooks();
  if (ConfigurationView(present).webhooks().empty()) {
    ConfigurationEdit(present).set_webhooks(webhooks.Json());
    return present;
  }
  const auto ours = webhooks.At(0).clientConfig();
  if (ours.has_url()) return CalledAtUrl(std::move(present), wanted);
  for (Value& webhook : WebhooksIn(present)) {
    const WebhookEdit edit(webhook);
    if (WebhookView(webhook).clientConfig().has_url()) {
      edit.set_clientConfig(ours.Json());
    } else {
      edit.clientConfig().set_caBundle(ours.caBundle());
    }
  }
  return present;
}

// Restores the Service that a configuration called before, or deletes the configuration.
base::Status Withdraw(kube::Client& client, const kube::Resource& resource, const Value& present) {
  if (!CallsInsteadOfService(present)) return client.Delete(resource, kube::KeyOf(present));
  const auto written = client.Update(resource, WithoutOutside(present));
  return written ? base::Status() : base::Status(written.error());
}

std::string UrlOf(const Value& configuration) {
  for (const WebhookView webhook : ConfigurationView(configuration).webhooks()) {
    if (webhook.clientConfig().has_url()) return std::string(webhook.clientConfig().url());
  }
  return {};
}

const kube::Resource& ResourceOf(const Value& configuration) {
  return kube::Kind(configuration) == api::kMutatingWebhooks.kind ? api::kMutatingWebhooks
                                                                  : api::kValidatingWebhooks;
}

// Grove's role allows the operator to update the chart's objects, but not to patch them.
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
  const auto conditions = WebhookView(webhook).matchConditions();
  return std::any_of(conditions.begin(), conditions.end(), &IsSetAsideBy);
}

bool CallsInsteadOfService(const Value& configuration) {
  const auto webhooks = ConfigurationView(configuration).webhooks();
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
