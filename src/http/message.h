#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace coppice::http {

// Bytes that many responses may share: an object's serialised form goes to all its watchers.
using Bytes = std::shared_ptr<const std::string>;

inline Bytes MakeBytes(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

// Header fields in the order they came. Names are kept and compared in lower case.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<std::pair<std::string_view, std::string_view>> items);

  void Add(std::string_view name, std::string_view value);
  // Replaces all fields of this name.
  void Set(std::string_view name, std::string_view value);
  void Remove(std::string_view name);
  // The first value, or "".
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  // All values of this name joined by ", ".
  std::string Joined(std::string_view name) const;
  // Names and values, for limits.
  size_t ByteSize() const;

  const std::vector<std::pair<std::string, std::string>>& items() const { return items_; }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

// The parameters of a URL, decoded, in order.
class Query {
 public:
  Query() = default;
  // "a=1&b=%20": a malformed escape is kept as it is written.
  static Query Parse(std::string_view raw);

  void Add(std::string_view name, std::string_view value);
  // The first value, or "".
  std::string_view Get(std::string_view name) const;
  bool Has(std::string_view name) const;
  std::vector<std::string_view> All(std::string_view name) const;
  // "a=1&b=%20", or "" when empty.
  std::string Encode() const;
  bool empty() const { return items_.empty(); }

  const std::vector<std::pair<std::string, std::string>>& items() const { return items_; }

 private:
  std::vector<std::pair<std::string, std::string>> items_;
};

// The client of a connection.
struct Peer {
  std::string address;  // "127.0.0.1:40312".
  bool tls = false;

  // A client certificate was presented; the fields below are from it.
  bool has_certificate = false;
  // It chains to the server's client CA and is in date. Trust nothing below unless this is true.
  bool certificate_verified = false;
  std::string common_name;
  std::vector<std::string> organizations;
};

struct Request {
  std::string method;  // "GET".
  std::string target;  // As sent: "/api/v1/pods?limit=5".
  std::string path;    // Decoded, valid UTF-8: "/api/v1/pods".
  std::string raw_query;
  Query query;
  Headers headers;
  std::string body;
  Peer peer;
  int http_version = 1;  // 1 or 2.
};

struct Response {
  int status = 200;
  Headers headers;
  Bytes body;  // May be null.
  // More of the body, behind it: pieces that others hold too are sent without being copied.
  std::vector<Bytes> parts;

  static Response Make(int status, std::string_view content_type, std::string body);
  std::string_view BodyView() const { return body ? std::string_view(*body) : std::string_view(); }
  size_t BodySize() const;
};

// "Not Found" for 404.
std::string_view StatusText(int status);

// Percent-encodes everything but unreserved characters.
std::string EncodeUrl(std::string_view text);
// Fails on a malformed escape. '+' stays '+' unless `plus_is_space`.
base::Result<std::string> DecodeUrl(std::string_view text, bool plus_is_space = false);
bool IsValidUtf8(std::string_view text);

}  // namespace coppice::http
