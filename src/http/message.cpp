#include "http/message.h"

#include <algorithm>

namespace coppice::http {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), Lower);
  return lower;
}

bool SameName(std::string_view lower, std::string_view any) {
  return lower.size() == any.size() && std::equal(lower.begin(), lower.end(), any.begin(),
                                                  [](char a, char b) { return a == Lower(b); });
}

template <typename Items, typename Matches>
std::string_view FirstValue(const Items& items, Matches matches) {
  const auto found = std::find_if(items.begin(), items.end(), matches);
  return found == items.end() ? std::string_view() : std::string_view(found->second);
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = Lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || c == '.' || c == '~';
}

// Bytes of the UTF-8 sequence that starts with `lead`, 0 when none does.
size_t SequenceLength(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  return lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
}

// Overlong forms, surrogates and values beyond U+10FFFF show in the second byte.
bool IsSecondByteValid(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xe0:
      return second >= 0xa0;
    case 0xed:
      return second <= 0x9f;
    case 0xf0:
      return second >= 0x90;
    case 0xf4:
      return second <= 0x8f;
    default:
      return true;
  }
}

std::string DecodeLeniently(std::string_view text) {
  auto decoded = DecodeUrl(text, true);
  return decoded ? *std::move(decoded) : std::string(text);
}

}  // namespace

Headers::Headers(std::initializer_list<std::pair<std::string_view, std::string_view>> items) {
  for (const auto& [name, value] : items) Add(name, value);
}

void Headers::Add(std::string_view name, std::string_view value) {
  items_.emplace_back(LowerCase(name), value);
}

void Headers::Set(std::string_view name, std::string_view value) {
  Remove(name);
  Add(name, value);
}

void Headers::Remove(std::string_view name) {
  std::erase_if(items_, [&](const auto& item) { return SameName(item.first, name); });
}

std::string_view Headers::Get(std::string_view name) const {
  return FirstValue(items_, [&](const auto& item) { return SameName(item.first, name); });
}

bool Headers::Has(std::string_view name) const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const auto& item) { return SameName(item.first, name); });
}

std::string Headers::Joined(std::string_view name) const {
  std::string joined;
  for (const auto& [key, value] : items_) {
    if (!SameName(key, name)) continue;
    if (!joined.empty()) joined += ", ";
    joined += value;
  }
  return joined;
}

size_t Headers::ByteSize() const {
  size_t size = 0;
  for (const auto& [name, value] : items_) size += name.size() + value.size();
  return size;
}

Query Query::Parse(std::string_view raw) {
  Query query;
  while (!raw.empty()) {
    const std::string_view pair = raw.substr(0, raw.find('&'));
    raw.remove_prefix(std::min(raw.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    const std::string_view value =
        equals == pair.npos ? std::string_view() : pair.substr(equals + 1);
    query.items_.emplace_back(DecodeLeniently(pair.substr(0, equals)), DecodeLeniently(value));
  }
  return query;
}

void Query::Add(std::string_view name, std::string_view value) { items_.emplace_back(name, value); }

std::string_view Query::Get(std::string_view name) const {
  return FirstValue(items_, [&](const auto& item) { return item.first == name; });
}

bool Query::Has(std::string_view name) const {
  return std::any_of(items_.begin(), items_.end(),
                     [&](const auto& item) { return item.first == name; });
}

std::vector<std::string_view> Query::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : items_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::string Query::Encode() const {
  std::string text;
  for (const auto& [name, value] : items_) {
    if (!text.empty()) text += '&';
    text += EncodeUrl(name) + "=" + EncodeUrl(value);
  }
  return text;
}

Response Response::Make(int status, std::string_view content_type, std::string body) {
  return {status, {{"content-type", content_type}}, MakeBytes(std::move(body))};
}

size_t Response::BodySize() const {
  size_t size = BodyView().size();
  for (const Bytes& part : parts) size += part->size();
  return size;
}

std::string_view StatusText(int status) {
  switch (status) {
    case 100:
      return "Continue";
    case 101:
      return "Switching Protocols";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Request Entity Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "Unknown";
  }
}

std::string EncodeUrl(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return encoded;
}

base::Result<std::string> DecodeUrl(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return base::InvalidArgument("malformed escape in a URL");
    decoded += static_cast<char>(high << 4 | low);
    i += 2;
  }
  return decoded;
}

bool IsValidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = SequenceLength(lead);
    if (length == 0 || i + length > text.size()) return false;
    for (size_t k = 1; k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xc0) != 0x80 || (k == 1 && !IsSecondByteValid(lead, byte))) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace coppice::http
