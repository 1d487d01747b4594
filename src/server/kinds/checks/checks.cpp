#include "server/kinds/checks/checks.h"

#include <arpa/inet.h>

#include <charconv>

#include "api/selectors/label_selector.h"
#include "base/quantity.h"
#include "json/write.h"
#include "server/kinds/checks/selectors.h"

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

void CheckSubdomain(const json::Value& name, const std::string& path, Causes& causes) {
  if (name.AsString().empty()) {
    causes.push_back(api::RequiredField(path));
  } else {
    CheckProblems(name, api::Dns1123SubdomainProblems(name.AsString()), path, causes);
  }
}

void CheckImmutable(const json::Value& now, const json::Value& old, const std::string& path,
                    Causes& causes) {
  if (now == old) return;
  causes.push_back(api::InvalidField(path, now, "field is immutable"));
}

void CheckConfigKey(const json::Value& key, const std::string& path, Causes& causes) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  const std::string_view text = key.AsString();
  const bool valid = !text.empty() && text.size() <= 253 && text != "." && text != ".." &&
                     text.find_first_not_of(kAllowed) == text.npos;
  if (valid) return;
  causes.push_back(api::InvalidField(
      path, key,
      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
      "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
      "'[-._a-zA-Z0-9]+')"));
}

void CheckNoDots(const json::Value& file, const std::string& path, Causes& causes) {
  std::string_view rest = file.AsString();
  while (!rest.empty()) {
    const size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "..") {
      causes.push_back(api::InvalidField(path, file, "must not contain '..'"));
      return;
    }
    rest.remove_prefix(slash == rest.npos ? rest.size() : slash + 1);
  }
}

void CheckRelativePath(const json::Value& relative, const std::string& path, Causes& causes) {
  if (relative.AsString().starts_with('/')) {
    causes.push_back(api::InvalidField(path, relative, "must be a relative path"));
  }
  CheckNoDots(relative, path, causes);
}

void CheckShare(const json::Value& share, const std::string& path, Causes& causes) {
  if (share.IsInt()) CheckNotNegative(share, path, causes);
  if (!share.IsString()) return;
  const std::string_view text = share.AsString();
  int percent = -1;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), percent).ptr;
  if (percent < 0 || std::string_view(end, text.data() + text.size() - end) != "%") {
    causes.push_back(api::InvalidField(
        path, share,
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
        "'93%', regex used for validation is '[0-9]+%')"));
  } else if (percent > 100) {
    causes.push_back(api::InvalidField(path, share, "must not be greater than 100%"));
  }
}

void CheckNetwork(const json::Value& network, const std::string& path, Causes& causes) {
  const std::string text = network.ToString();
  const size_t slash = text.find('/');
  const std::string address = text.substr(0, slash);
  const std::string_view bits = slash == text.npos ? "" : std::string_view(text).substr(slash + 1);
  unsigned char bytes[16];
  const int most = inet_pton(AF_INET, address.c_str(), bytes) == 1    ? 32
                   : inet_pton(AF_INET6, address.c_str(), bytes) == 1 ? 128
                                                                      : -1;
  int length = -1;
  const auto end = std::from_chars(bits.data(), bits.data() + bits.size(), length).ptr;
  if (end == bits.data() + bits.size() && length >= 0 && length <= most) return;
  causes.push_back(api::InvalidField(
      path, network, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"));
}

void CheckTemplateSelector(const json::Value& spec, const std::string& path, Causes& causes) {
  const json::Value& selector = spec["selector"];
  const std::string place = api::Child(path, "selector");
  if (selector.IsNull()) causes.push_back(api::RequiredField(place));
  CheckLabelSelector(selector, place, causes);
  const auto parsed = api::LabelSelector::FromObject(selector);
  if (!selector.IsNull() && !parsed) {
    causes.push_back(api::InvalidField(place, selector, "invalid label selector"));
    return;
  }
  if (!selector.IsNull() && parsed->MatchesEverything()) {
    causes.push_back(
        api::InvalidField(place, selector, "empty selector is invalid for deployment"));
  } else if (selector.IsNull() || !parsed->Matches(spec["template"]["metadata"]["labels"])) {
    causes.push_back(api::InvalidField(api::Child(path, "template.metadata.labels"),
                                       spec["template"]["metadata"]["labels"],
                                       "`selector` does not match template `labels`"));
  }
}

bool IsPositive(const json::Value& quantity) {
  const auto parsed = base::Quantity::Parse(quantity.AsString());
  return parsed && parsed->Sign() > 0;
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
