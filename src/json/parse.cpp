#include "json/parse.h"

#include <fmt/format.h>
#include <simdjson.h>

namespace coppice::json {
namespace {

constexpr size_t kMaxDepth = 512;

class Builder {
 public:
  explicit Builder(const ParseOptions& options) : options_(options) {}

  Value Build(simdjson::dom::element element) {
    using simdjson::dom::element_type;
    switch (element.type()) {
      case element_type::ARRAY:
        return BuildArray(element.get_array().value_unsafe());
      case element_type::OBJECT:
        return BuildObject(element.get_object().value_unsafe());
      case element_type::INT64:
        return Value(element.get_int64().value_unsafe());
      case element_type::UINT64:
        return Value(static_cast<double>(element.get_uint64().value_unsafe()));
      case element_type::DOUBLE:
        return Value(element.get_double().value_unsafe());
      case element_type::STRING:
        return Value(std::string_view(element.get_string().value_unsafe()));
      case element_type::BOOL:
        return Value(element.get_bool().value_unsafe());
      case element_type::NULL_VALUE:
        return Value();
    }
    return Value();
  }

 private:
  Value BuildArray(simdjson::dom::array array) {
    std::vector<Value> items;
    items.reserve(array.size());
    for (const simdjson::dom::element item : array) items.push_back(Build(item));
    return Value::Array(std::move(items));
  }

  Value BuildObject(simdjson::dom::object object) {
    std::vector<Member> members;
    members.reserve(object.size());
    for (const auto [key, value] : object) {
      if (options_.drop_managed_fields && key == "managedFields") continue;
      if (options_.duplicates == nullptr) {
        members.push_back({Value(std::string_view(key)), Build(value)});
        continue;
      }
      const size_t before = path_.size();
      path_ += path_.empty() ? "" : ".";
      path_ += key;
      members.push_back({Value(std::string_view(key)), Build(value)});
      path_.resize(before);
    }
    const size_t all = members.size();
    Value out = Value::Object(std::move(members));
    if (options_.duplicates != nullptr && out.size() != all) ReportDuplicates(object);
    return out;
  }

  void ReportDuplicates(simdjson::dom::object object) {
    std::vector<std::string_view> keys;
    for (const auto [key, value] : object) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    for (size_t i = 1; i < keys.size(); ++i) {
      if (keys[i] != keys[i - 1] || (i > 1 && keys[i] == keys[i - 2])) continue;
      options_.duplicates->push_back(path_.empty() ? std::string(keys[i])
                                                   : fmt::format("{}.{}", path_, keys[i]));
    }
  }

  const ParseOptions& options_;
  std::string path_;
};

base::Error Invalid(simdjson::error_code error) {
  return base::InvalidArgument(fmt::format("invalid JSON: {}", simdjson::error_message(error)));
}

}  // namespace

base::Result<Value> Parse(std::string_view text, const ParseOptions& options) {
  // An empty view may have a null pointer, which the parser's pointer arithmetic does not allow.
  if (text.empty()) return Invalid(simdjson::EMPTY);
  // The parser and its buffers are kept per thread: a pod parses without allocating tape memory.
  thread_local simdjson::dom::parser parser;
  if (parser.max_depth() != kMaxDepth || parser.capacity() < text.size()) {
    const auto error = parser.allocate(std::max<size_t>(text.size(), 64 * 1024), kMaxDepth);
    if (error) return base::Internal(fmt::format("out of memory parsing {} bytes", text.size()));
  }
  const auto parsed = parser.parse(text.data(), text.size());
  if (parsed.error()) return Invalid(parsed.error());
  return Builder(options).Build(parsed.value_unsafe());
}

}  // namespace coppice::json
