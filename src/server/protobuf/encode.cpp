#include "server/protobuf/encode.h"

#include "base/base64.h"
#include "base/clock.h"
#include "base/wire_writer.h"
#include "json/write.h"
#include "server/protobuf/field_types.h"

namespace coppice::server {
namespace {

using json::Value;

constexpr std::string_view kEnvelopeMagic("k8s\0", 4);
constexpr std::string_view kListSuffix = "List";

std::string EncodeMessage(const ProtobufType& type, const Value& object);
void WriteForm(uint64_t number, std::string_view form, const Value& value, base::WireWriter& out);

// A message of one field.
std::string Wrapped(std::string_view bytes) {
  base::WireWriter out;
  out.AddBytes(1, bytes);
  return out.Take();
}

std::string EncodeTime(const Value& value) {
  base::WireWriter out;
  const auto time = base::ParseRfc3339(value.AsString());
  if (!time) return "";  // The zero time.
  const auto since = time->time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  out.AddVarint(1, static_cast<uint64_t>(seconds.count()));
  out.AddVarint(2, static_cast<uint64_t>((since - seconds).count()));
  return out.Take();
}

std::string EncodeDuration(const Value& value) {
  base::WireWriter out;
  const auto duration = base::ParseDuration(value.AsString());
  out.AddVarint(1, duration ? static_cast<uint64_t>(duration->count()) : 0);
  return out.Take();
}

std::string EncodeIntOrString(const Value& value) {
  base::WireWriter out;
  out.AddVarint(1, value.IsString() ? 1 : 0);
  if (value.IsString()) {
    out.AddBytes(3, value.AsString());
  } else {
    out.AddVarint(2, static_cast<uint64_t>(value.AsInt()));
  }
  return out.Take();
}

std::string EncodeItems(std::string_view form, const Value& list) {
  base::WireWriter out;
  for (const Value& item : list.Items()) WriteForm(1, form, item, out);
  return out.Take();
}

// JSON has a schema or something else in one place; here each has a field.
std::string EncodeSchemaUnion(char form, const Value& value) {
  constexpr std::string_view kSchema = "mapiextensions/v1.JSONSchemaProps";
  base::WireWriter out;
  if (form == 'B') {
    out.AddVarint(1, value.AsBool(true) ? 1 : 0);
    if (value.IsObject()) WriteForm(2, kSchema, value, out);
    return out.Take();
  }
  if (value.IsObject()) WriteForm(1, kSchema, value, out);
  for (const Value& item : value.Items()) WriteForm(2, form == 'A' ? kSchema : "s", item, out);
  return out.Take();
}

std::string DecodedBytes(const Value& value) {
  auto bytes = base::Base64Decode(value.AsString());
  return bytes ? *std::move(bytes) : std::string();
}

// Quantities are numbers in some objects of clients.
std::string QuantityText(const Value& value) {
  return value.IsString() ? value.ToString() : json::Write(value);
}

void WriteForm(uint64_t number, std::string_view form, const Value& value, base::WireWriter& out) {
  switch (form.front()) {
    case '*':
      return WriteForm(number, form.substr(1), value, out);
    case 's':
      return out.AddBytes(number, value.AsString());
    case 'b':
      return out.AddVarint(number, value.AsBool() ? 1 : 0);
    case 'i':
      return out.AddVarint(number, static_cast<uint64_t>(value.AsInt()));
    case 'd':
      return out.AddDouble(number, value.AsDouble());
    case 'y':
      return out.AddBytes(number, DecodedBytes(value));
    case 'T':
    case 'U':
      return out.AddBytes(number, EncodeTime(value));
    case 'D':
      return out.AddBytes(number, EncodeDuration(value));
    case 'Q':
      return out.AddBytes(number, Wrapped(QuantityText(value)));
    case 'O':
      return out.AddBytes(number, EncodeIntOrString(value));
    case 'X':
    case 'F':
      return out.AddBytes(number, Wrapped(json::Write(value)));
    case 'A':
    case 'B':
    case 'P':
      return out.AddBytes(number, EncodeSchemaUnion(form.front(), value));
    case 'L':
      return out.AddBytes(number, EncodeItems(form.substr(1), value));
    case 'm':
      if (const ProtobufType* type = FindProtobufType(form.substr(1))) {
        out.AddBytes(number, EncodeMessage(*type, value));
      }
      return;
    default:
      return;
  }
}

void WriteMap(uint64_t number, std::string_view form, const Value& map, base::WireWriter& out) {
  for (const json::Member& member : map.Members()) {
    base::WireWriter entry;
    entry.AddBytes(1, member.name());
    WriteForm(2, form, member.value, entry);
    out.AddBytes(number, entry.Take());
  }
}

void WriteField(uint64_t number, const ProtobufField& field, const Value& object,
                base::WireWriter& out) {
  const std::string_view form = field.form;
  if (field.name == "-")
    return WriteForm(number, form, object, out);  // Its fields are the parent's.
  const Value& value = object[field.name];
  if (value.IsNull()) return;
  if (form.front() == 'M') return WriteMap(number, form.substr(1), value, out);
  if (form.front() != 'R') return WriteForm(number, form, value, out);
  for (const Value& item : value.Items()) WriteForm(number, form.substr(1), item, out);
}

std::string EncodeMessage(const ProtobufType& type, const Value& object) {
  base::WireWriter out;
  for (const auto& [number, field] : type) WriteField(number, field, object, out);
  return out.Take();
}

// The kind of a list's items; "" if it is not a list.
std::string_view ItemKind(std::string_view kind) {
  return kind.ends_with(kListSuffix) ? kind.substr(0, kind.size() - kListSuffix.size()) : "";
}

// All lists have the same two fields.
std::string EncodeObjectList(const ProtobufType& type, const Value& list) {
  base::WireWriter out;
  WriteForm(1, "mmeta/v1.ListMeta", list["metadata"], out);
  for (const Value& item : list["items"].Items()) out.AddBytes(2, EncodeMessage(type, item));
  return out.Take();
}

std::string InEnvelope(const Value& object, std::string_view raw) {
  base::WireWriter kind, envelope;
  kind.AddBytes(1, object["apiVersion"].AsString());
  kind.AddBytes(2, object["kind"].AsString());
  envelope.AddBytes(1, kind.Take());
  envelope.AddBytes(2, raw);
  return std::string(kEnvelopeMagic) + envelope.Take();
}

}  // namespace

bool HasProtobuf(std::string_view api_version, std::string_view kind) {
  return FindProtobufKind(api_version, kind) != nullptr ||
         FindProtobufKind(api_version, ItemKind(kind)) != nullptr;
}

base::Result<std::string> EncodeProtobuf(const json::Value& object) {
  const std::string_view version = object["apiVersion"].AsString();
  const std::string_view kind = object["kind"].AsString();
  if (const ProtobufType* type = FindProtobufKind(version, kind)) {
    return InEnvelope(object, EncodeMessage(*type, object));
  }
  if (const ProtobufType* type = FindProtobufKind(version, ItemKind(kind))) {
    return InEnvelope(object, EncodeObjectList(*type, object));
  }
  return base::Error(
      base::ErrorCode::kNotAcceptable,
      "there is no protobuf encoding of " + std::string(version) + " " + std::string(kind));
}

base::Result<std::string> EncodeWatchFrame(std::string_view type, const json::Value& object) {
  COPPICE_ASSIGN(const std::string encoded, EncodeProtobuf(object));
  base::WireWriter event;
  event.AddBytes(1, type);
  event.AddBytes(2, Wrapped(encoded));
  const std::string message = event.Take();
  std::string frame;
  for (int shift = 24; shift >= 0; shift -= 8) {
    frame.push_back(static_cast<char>(message.size() >> shift));
  }
  return frame + message;
}

}  // namespace coppice::server
