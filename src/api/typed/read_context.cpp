#include "api/typed/read_context.h"

#include <fmt/format.h>

#include "json/write.h"

namespace coppice::api::typed {
namespace {

std::string_view NameOf(json::Type type) {
  switch (type) {
    case json::Type::kNull:
      return "null";
    case json::Type::kBool:
      return "boolean";
    case json::Type::kInt:
    case json::Type::kDouble:
      return "number";
    case json::Type::kString:
      return "string";
    case json::Type::kArray:
      return "array";
    case json::Type::kObject:
      return "object";
  }
  return "unknown";
}

}  // namespace

bool ReadContext::Fail(std::string_view problem) {
  problem_ = problem;
  return false;
}

bool ReadContext::WrongType(const json::Value& value, std::string_view wanted) {
  return Fail(fmt::format("must be of type {}, not {}", wanted, NameOf(value.type())));
}

bool ReadContext::Unsupported(const json::Value& value) {
  return Fail(fmt::format("unsupported value: {}", json::Write(value)));
}

bool ReadContext::Prefix(std::string_view name) {
  const bool joins = !path_.empty() && path_[0] != '[';
  path_ = fmt::format("{}{}{}", name, joins ? "." : "", path_);
  return false;
}

bool ReadContext::PrefixIndex(size_t index) {
  const bool joins = !path_.empty() && path_[0] != '[';
  path_ = fmt::format("[{}]{}{}", index, joins ? "." : "", path_);
  return false;
}

base::Error ReadContext::TakeError(std::string_view root) const {
  ReadContext whole = *this;
  if (!root.empty()) whole.Prefix(root);
  std::string message =
      whole.path_.empty() ? problem_ : fmt::format("{}: {}", whole.path_, problem_);
  return base::InvalidArgument(std::move(message))
      .WithCause({"FieldValueInvalid", whole.path_, problem_});
}

}  // namespace coppice::api::typed
