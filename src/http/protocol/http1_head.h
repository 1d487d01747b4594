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

// Why a request gets no further.
struct Refusal {
  int status = 400;
  std::string message;
};

// Reads one head. Strict where two readers of the same bytes could disagree about where a request
// ends, for that is how requests are smuggled: exactly one valid Host, a Content-Length of digits
// alone, and no transfer coding but one "chunked". Not thread-safe.
class Http1HeadParser {
 public:
  explicit Http1HeadParser(size_t max_bytes);
  ~Http1HeadParser();
  Http1HeadParser(Http1HeadParser&&) noexcept;
  Http1HeadParser& operator=(Http1HeadParser&&) noexcept;

  // Takes bytes off the front of `input`; it wants to see those that it leaves again, with more.
  // Nothing of the head is left once complete() or after a refusal.
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
