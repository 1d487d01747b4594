#include "http/protocol/http1_head.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <charconv>

namespace coppice::http {
namespace {

namespace beast = boost::beast::http;
using beast_view = boost::beast::string_view;
using beast_error = boost::beast::error_code;

std::string_view View(beast_view text) { return {text.data(), text.size()}; }

size_t CountFields(const Headers& headers, std::string_view name) {
  return std::ranges::count_if(headers.items(),
                               [&](const auto& field) { return field.first == name; });
}

bool IsHostByte(char c) {
  const bool alphanumeric =
      (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  return alphanumeric ||
         (c != '\0' && std::string_view("!$%&()*+,-.:;=['_]~").find(c) != std::string_view::npos);
}

const char* HostError(const Http1Head& head) {
  const Headers& headers = head.request.headers;
  const size_t count = CountFields(headers, "host");
  if (count > 1) return "too many Host headers";
  if (count == 0) {
    const bool needed = head.version_11 && head.request.method != "CONNECT";
    return needed ? "missing required Host header" : nullptr;
  }
  return std::ranges::all_of(headers.Get("host"), IsHostByte) ? nullptr : "malformed Host header";
}

// The length of the body, from fields of which all must say the same.
std::optional<uint64_t> LengthOf(const Headers& headers) {
  std::optional<uint64_t> length;
  for (const auto& [name, text] : headers.items()) {
    if (name != "content-length") continue;
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.starts_with('-')) {
      return std::nullopt;
    }
    if (length && *length != static_cast<uint64_t>(value)) return std::nullopt;
    length = static_cast<uint64_t>(value);
  }
  return length.value_or(0);
}

// Fills how the body is framed.
const char* FramingError(Http1Head& head) {
  const Headers& headers = head.request.headers;
  const size_t codings = CountFields(headers, "transfer-encoding");
  if (codings > 0) {
    head.chunked =
        codings == 1 && boost::beast::iequals(headers.Get("transfer-encoding"), "chunked");
    if (!head.chunked || !head.version_11) return "unsupported transfer encoding";
    if (headers.Has("content-length")) return "both Transfer-Encoding and Content-Length are set";
  }
  const std::optional<uint64_t> length = LengthOf(headers);
  if (!length) return "bad Content-Length";
  head.length = *length;
  return nullptr;
}

}  // namespace

// Beast's parser for the grammar of lines; `skip` keeps it off the body.
class Http1HeadParser::Impl final : public beast::basic_parser<true> {
 public:
  explicit Impl(size_t max_bytes) : max_bytes_(max_bytes) {
    header_limit(static_cast<uint32_t>(max_bytes));
    skip(true);
  }

  std::optional<Refusal> Parse(std::string_view& input) {
    beast_error error;
    const size_t used = put(boost::asio::buffer(input.data(), input.size()), error);
    head.bytes += used;
    input.remove_prefix(used);
    const size_t seen = head.bytes + (is_done() ? 0 : input.size());
    if (seen > max_bytes_ || error == beast::error::header_limit) {
      return Refusal{431, "the request's header is too large"};
    }
    if (error && error != beast::error::need_more) {
      return Refusal{400, "malformed HTTP request: " + error.message()};
    }
    return is_done() ? Check() : std::nullopt;
  }

  Http1Head head;

 private:
  std::optional<Refusal> Check() {
    head.keep_alive = keep_alive();
    head.expects_continue =
        boost::beast::iequals(head.request.headers.Get("expect"), "100-continue");
    const char* error = HostError(head);
    if (error == nullptr) error = FramingError(head);
    if (error == nullptr) return std::nullopt;
    return Refusal{400, std::string("malformed HTTP request: ") + error};
  }

  void on_request_impl(beast::verb, beast_view method, beast_view target, int version,
                       beast_error&) override {
    head.request.method = View(method);
    head.request.target = View(target);
    head.version_11 = version >= 11;
  }
  void on_field_impl(beast::field, beast_view name, beast_view value, beast_error&) override {
    head.request.headers.Add(View(name), View(value));
  }
  void on_response_impl(int, beast_view, int, beast_error&) override {}
  void on_header_impl(beast_error&) override {}
  void on_body_init_impl(const boost::optional<uint64_t>&, beast_error&) override {}
  size_t on_body_impl(beast_view text, beast_error&) override { return text.size(); }
  void on_chunk_header_impl(uint64_t, beast_view, beast_error&) override {}
  size_t on_chunk_body_impl(uint64_t, beast_view text, beast_error&) override {
    return text.size();
  }
  void on_finish_impl(beast_error&) override {}

  const size_t max_bytes_;
};

Http1HeadParser::Http1HeadParser(size_t max_bytes) : impl_(std::make_unique<Impl>(max_bytes)) {}
Http1HeadParser::~Http1HeadParser() = default;
Http1HeadParser::Http1HeadParser(Http1HeadParser&&) noexcept = default;
Http1HeadParser& Http1HeadParser::operator=(Http1HeadParser&&) noexcept = default;

std::optional<Refusal> Http1HeadParser::Parse(std::string_view& input) {
  return impl_->Parse(input);
}
bool Http1HeadParser::started() const { return impl_->got_some(); }
bool Http1HeadParser::complete() const { return impl_->is_done(); }
Http1Head Http1HeadParser::Take() { return std::move(impl_->head); }

}  // namespace coppice::http
