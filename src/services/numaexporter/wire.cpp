#include "services/numaexporter/wire.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>

namespace coppice::services::numaexporter {
namespace {

base::Error Truncated() { return base::InvalidArgument("the protobuf message is cut short"); }

std::optional<uint64_t> TakeVarint(std::string_view& rest) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(rest.front());
    rest.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> TakeBytes(std::string_view& rest, uint64_t size) {
  if (size > rest.size()) return std::nullopt;
  const std::string_view bytes = rest.substr(0, size);
  rest.remove_prefix(size);
  return bytes;
}

base::Status TakeFixed(std::string_view& rest, size_t size, WireField& field) {
  const auto bytes = TakeBytes(rest, size);
  if (!bytes) return Truncated();
  std::memcpy(&field.value, bytes->data(), size);
  return {};
}

base::Status TakeValue(std::string_view& rest, unsigned type, WireField& field) {
  if (type == 1) return TakeFixed(rest, 8, field);
  if (type == 5) return TakeFixed(rest, 4, field);
  if (type != 0 && type != 2) {
    return base::InvalidArgument(fmt::format("protobuf wire type {} is not known", type));
  }
  const auto number = TakeVarint(rest);
  if (!number) return Truncated();
  if (type == 0) {
    field.value = *number;
    return {};
  }
  const auto bytes = TakeBytes(rest, *number);
  if (!bytes) return Truncated();
  field.bytes = *bytes;
  field.is_bytes = true;
  return {};
}

}  // namespace

base::Status ForEachField(std::string_view message,
                          const std::function<base::Status(const WireField&)>& visit) {
  std::string_view rest = message;
  while (!rest.empty()) {
    const auto tag = TakeVarint(rest);
    if (!tag) return Truncated();
    WireField field{.number = static_cast<uint32_t>(*tag >> 3)};
    COPPICE_TRY(TakeValue(rest, static_cast<unsigned>(*tag & 7), field));
    COPPICE_TRY(visit(field));
  }
  return {};
}

base::Status ReadRepeatedNumber(const WireField& field, std::vector<int64_t>& out) {
  if (!field.is_bytes) {
    out.push_back(static_cast<int64_t>(field.value));
    return {};
  }
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    const auto number = TakeVarint(rest);
    if (!number) return Truncated();
    out.push_back(static_cast<int64_t>(*number));
  }
  return {};
}

}  // namespace coppice::services::numaexporter
