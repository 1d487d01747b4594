#pragma once

#include <memory>
#include <optional>
#include <string>

#include "http/message.h"

namespace coppice::http {

// The head of an HTTP/1.1 request: request line and fields.
struct Http1Head {
  Request request;   // Without its body.
  size_t bytes = 0;  // As received.
  bool chunked = false;
  uint64_t length = 0;  // Of a body that is not chunked.
  bool keep_alive = true;
  bool version_11 = true;
  bool expects_continue = false;
};

// Why a request is rejected.
struct Refusal {
  int status = 400;
  std::string message;
};

// Reads one head. Strict where two parsers could disagree about where a request ends, to prevent
// request smuggling: exactly one valid Host, a Content-Length of only digits, and no transfer
// coding except one "chunked". Not thread-safe.
class Http1HeadParser {
 public:
  explicit Http1HeadParser(size_t max_bytes);
  ~Http1HeadParser();
  Http1HeadParser(Http1HeadParser&&) noexcept;
  Http1HeadParser& operator=(Http1HeadParser&&) noexcept;

  // Consumes bytes from the front of `input`; pass the rest again with more bytes. The header is
  // fully consumed once complete() or after a rejection.
  std::optional<Refusal> Parse(std::string_view& input);
  bool started() const;
  bool complete() const;
  // Once, when complete.
  Http1Head Take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace coppice::http
