#include "server/kinds/checks.h"

#include <arpa/inet.h>

#include "api/selectors/label_selector.h"
#include "base/quantity.h"
#include "json/write.h"

namespace coppice::server {

void CheckOneOf(const json::Value& value, std::initializer_list<const char*> allowed,
                const std::string& path, Causes& causes) {
  for (const char* each : allowed) {
    if (value.AsString() == each) return;
  }
  causes.push_back(api::UnsupportedField(path, value, {allowed.begin(), allowed.end()}));
}

void CheckNotNegative(const json::Value& value, const std::string& path, Causes& causes) {
  if (value.AsInt() >= 0) return;
  causes.push_back(api::InvalidField(path, value, "must be greater than or equal to 0"));
}

void CheckProblems(const json::Value& value, const api::Problems& problems, const std::string& path,
                   Causes& causes) {
  for (const std::string& problem : problems) {
    causes.push_back(api::InvalidField(path, value, problem));
  }
}

void CheckImmutable(const json::Value& now, const json::Value& old, const std::string& path,
                    Causes& causes) {
  if (now == old) return;
  causes.push_back(api::InvalidField(path, now, "field is immutable"));
}

void CheckTemplateSelector(const json::Value& spec, const std::string& path, Causes& causes) {
  const json::Value& selector = spec["selector"];
  const std::string place = api::Child(path, "selector");
  if (selector.IsNull()) {
    causes.push_back(api::RequiredField(place));
    return;
  }
  const auto parsed = api::LabelSelector::FromObject(selector);
  if (!parsed) {
    causes.push_back(api::InvalidField(place, selector, "invalid label selector"));
    return;
  }
  if (parsed->MatchesEverything()) {
    causes.push_back(
        api::InvalidField(place, selector, "empty selector is invalid for deployment"));
  } else if (!parsed->Matches(spec["template"]["metadata"]["labels"])) {
    causes.push_back(api::InvalidField(api::Child(path, "template.metadata.labels"),
                                       spec["template"]["metadata"]["labels"],
                                       "`selector` does not match template `labels`"));
  }
}

int SignOf(const json::Value& quantity) {
  const std::string text = quantity.IsString() ? quantity.ToString() : json::Write(quantity);
  const auto parsed = base::Quantity::Parse(text);
  return parsed ? parsed->Sign() : -1;
}

void CheckQuantity(const json::Value& quantity, const std::string& path, Causes& causes) {
  if (SignOf(quantity) >= 0) return;
  causes.push_back(api::InvalidField(path, quantity, "must be greater than or equal to 0"));
}

void CheckAddress(const json::Value& address, const std::string& path, Causes& causes) {
  const std::string text = address.ToString();
  unsigned char bytes[16];
  if (inet_pton(AF_INET, text.c_str(), bytes) == 1) return;
  if (inet_pton(AF_INET6, text.c_str(), bytes) == 1) return;
  causes.push_back(api::InvalidField(
      path, address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"));
}

void CheckPort(const json::Value& value, const std::string& path, Causes& causes) {
  if (value.AsInt() >= 1 && value.AsInt() <= 65535) return;
  causes.push_back(api::InvalidField(path, value, "must be between 1 and 65535, inclusive"));
}

}  // namespace coppice::server
