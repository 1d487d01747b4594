#include "api/schema/errors/field_error.h"

#include <fmt/format.h>

#include "api/resource.h"
#include "json/write.h"

namespace coppice::api {
namespace {

std::string Shown(const json::Value& value) {
  return value.IsString() ? Quoted(value.AsString()) : json::Write(value);
}

std::string Join(std::string_view a, std::string_view detail) {
  return detail.empty() ? std::string(a) : fmt::format("{}: {}", a, detail);
}

}  // namespace

base::FieldCause RequiredField(std::string field, std::string_view detail) {
  return {"FieldValueRequired", std::move(field), Join("Required value", detail)};
}

base::FieldCause InvalidField(std::string field, const json::Value& value,
                              std::string_view detail) {
  return {"FieldValueInvalid", std::move(field),
          Join(fmt::format("Invalid value: {}", Shown(value)), detail)};
}

base::FieldCause WrongTypeField(std::string field, const json::Value& value,
                                std::string_view detail) {
  base::FieldCause cause = InvalidField(std::move(field), value, detail);
  cause.reason = "FieldValueTypeInvalid";
  return cause;
}

base::FieldCause DuplicateField(std::string field, const json::Value& value) {
  return {"FieldValueDuplicate", std::move(field),
          fmt::format("Duplicate value: {}", Shown(value))};
}

base::FieldCause NotFoundField(std::string field, const json::Value& value) {
  return {"FieldValueNotFound", std::move(field), fmt::format("Not found: {}", Shown(value))};
}

base::FieldCause ForbiddenField(std::string field, std::string_view detail) {
  return {"FieldValueForbidden", std::move(field), Join("Forbidden", detail)};
}

base::FieldCause UnsupportedField(std::string field, const json::Value& value,
                                  const std::vector<std::string>& supported) {
  std::string list;
  for (const std::string& one : supported) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", Quoted(one));
  }
  return {"FieldValueNotSupported", std::move(field),
          fmt::format("Unsupported value: {}{}{}", Shown(value),
                      list.empty() ? "" : ": supported values: ", list)};
}

base::FieldCause TooLongField(std::string field, int64_t max_bytes) {
  return {"FieldValueTooLong", std::move(field),
          fmt::format("Too long: may not be more than {} byte{}", max_bytes,
                      max_bytes == 1 ? "" : "s")};
}

base::FieldCause TooManyField(std::string field, int64_t actual, int64_t max_items) {
  return {"FieldValueTooMany", std::move(field),
          fmt::format("Too many: {}: must have at most {} item{}", actual, max_items,
                      max_items == 1 ? "" : "s")};
}

std::string Describe(const base::FieldCause& cause) {
  return fmt::format("{}: {}", cause.field, cause.message);
}

std::string Describe(const std::vector<base::FieldCause>& causes) {
  if (causes.size() == 1) return Describe(causes[0]);
  std::string out;
  for (const auto& cause : causes) out += (out.empty() ? "" : ", ") + Describe(cause);
  return fmt::format("[{}]", out);
}

base::Error InvalidObject(const Resource& resource, std::string_view name,
                          std::vector<base::FieldCause> causes) {
  const std::string kind =
      resource.group.empty() ? resource.kind : fmt::format("{}.{}", resource.kind, resource.group);
  std::string message = fmt::format("{} {} is invalid: {}", kind, Quoted(name), Describe(causes));
  return base::Error(base::ErrorCode::kInvalid, std::move(message)).WithCauses(std::move(causes));
}

namespace {

// Validation names the place that it looks at thousands of times before it finds anything wrong.
std::string Bracketed(std::string_view parent, std::string_view inside) {
  std::string path;
  path.reserve(parent.size() + inside.size() + 2);
  return path.append(parent).append(1, '[').append(inside).append(1, ']');
}

}  // namespace

std::string Child(std::string_view parent, std::string_view name) {
  if (parent.empty()) return std::string(name);
  std::string path;
  path.reserve(parent.size() + name.size() + 1);
  return path.append(parent).append(1, '.').append(name);
}

std::string Index(std::string_view parent, size_t index) {
  return Bracketed(parent, fmt::format_int(index).c_str());
}

std::string Key(std::string_view parent, std::string_view key) { return Bracketed(parent, key); }

std::string Quoted(std::string_view text) {
  static constexpr std::string_view kSpecial = "\"\\\n\t\r\a\b\f\v", kLetters = "\"\\ntrabfv";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const size_t special = kSpecial.find(c); special != kSpecial.npos) {
      out.append({'\\', kLetters[special]});
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace coppice::api
