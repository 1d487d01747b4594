#include "api/schema/model/formats.h"

#include <arpa/inet.h>
#include <re2/re2.h>

#include <string>

#include "api/selectors/names.h"
#include "base/clock.h"

namespace coppice::api {
namespace {

bool IsMatch(std::string_view text, const re2::RE2& regex) {
  return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), regex);
}

bool IsAddress(int family, std::string_view text) {
  unsigned char buffer[16];
  return inet_pton(family, std::string(text).c_str(), buffer) == 1;
}

bool IsCidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view address = text.substr(0, slash);
  const std::string_view bits = text.substr(slash + 1);
  static const re2::RE2 kBits("0|[1-9][0-9]{0,2}");
  if (!IsMatch(bits, kBits)) return false;
  const int width = std::stoi(std::string(bits));
  return (IsAddress(AF_INET, address) && width <= 32) ||
         (IsAddress(AF_INET6, address) && width <= 128);
}

bool IsDate(std::string_view text) {
  static const re2::RE2 kDate("[0-9]{4}-[0-9]{2}-[0-9]{2}");
  return IsMatch(text, kDate) && base::ParseRfc3339(std::string(text) + "T00:00:00Z").ok();
}

bool IsDuration(std::string_view text) {
  if (base::ParseDuration(text).ok()) return true;
  // Words too: "1 hour", "2 days".
  static const re2::RE2 kWords(
      "(?i)P?([0-9]+\\s*(ns|nano|us|µs|micro|ms|milli|s|sec|m|min|h|hr|hour|d|day|w|wk|week)[a-z]*"
      "\\s*)+");
  return IsMatch(text, kWords);
}

bool IsByte(std::string_view text) {
  static const re2::RE2 kBase64(
      "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})?");
  return IsMatch(text, kBase64);
}

bool IsUuid(std::string_view text) {
  static const re2::RE2 kUuid(
      "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}");
  return IsMatch(text, kUuid);
}

bool IsUri(std::string_view text) {
  static const re2::RE2 kUri("([A-Za-z][A-Za-z0-9+.-]*:\\S*|/\\S*)");
  return IsMatch(text, kUri);
}

bool IsHostname(std::string_view text) {
  static const re2::RE2 kHost(
      "([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\\.)*[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9]");
  return text.size() <= 255 && IsMatch(text, kHost);
}

bool IsEmail(std::string_view text) {
  static const re2::RE2 kEmail("[^@\\s]+@[^@\\s]+");
  return IsMatch(text, kEmail);
}

bool IsMac(std::string_view text) {
  static const re2::RE2 kMac("([0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}");
  return IsMatch(text, kMac);
}

}  // namespace

bool HasFormat(std::string_view format, std::string_view text) {
  if (format == "date-time" || format == "datetime") return base::ParseRfc3339(text).ok();
  if (format == "date") return IsDate(text);
  if (format == "duration") return IsDuration(text);
  if (format == "byte") return IsByte(text);
  if (format == "uuid" || format == "uuid3" || format == "uuid4" || format == "uuid5") {
    return IsUuid(text);
  }
  if (format == "ipv4") return IsAddress(AF_INET, text);
  if (format == "ipv6") return IsAddress(AF_INET6, text);
  if (format == "cidr") return IsCidr(text);
  if (format == "uri") return IsUri(text);
  if (format == "hostname") return IsHostname(text);
  if (format == "email") return IsEmail(text);
  if (format == "mac") return IsMac(text);
  if (format == "k8s-short-name") return Dns1123LabelProblems(text).empty();
  if (format == "k8s-long-name") return Dns1123SubdomainProblems(text).empty();
  return true;
}

}  // namespace coppice::api
