#include "server/protobuf/decode.h"

#include <cstring>

#include "base/base64.h"
#include "base/clock.h"
#include "base/wire_reader.h"
#include "http/message.h"
#include "json/parse.h"
#include "server/protobuf/field_types.h"

namespace coppice::server {
namespace {

using json::Value;

constexpr std::string_view kMagic("k8s\0", 4);
constexpr int kMaxDepth = 100;

base::Error Malformed() {
  return base::Error(base::ErrorCode::kUnsupportedMedia,
                     "the body of the request is not valid Kubernetes protobuf - accepted media "
                     "types include: application/json, application/yaml");
}

base::Result<Value> DecodeMessage(const ProtobufType& type, std::string_view bytes, int depth);
base::Result<Value> DecodeForm(std::string_view form, const base::WireField& field, int depth);

// The field `number` of a small message; the last one counts.
base::Result<base::WireField> FindField(std::string_view message, uint64_t number) {
  base::WireReader reader(message);
  base::WireField found;
  while (!reader.done()) {
    COPPICE_ASSIGN(const base::WireField field, reader.Next());
    if (field.number == number) found = field;
  }
  return found;
}

base::Result<base::Time> DecodeTime(std::string_view message) {
  COPPICE_ASSIGN(const base::WireField seconds, FindField(message, 1));
  COPPICE_ASSIGN(const base::WireField nanos, FindField(message, 2));
  return base::Time(std::chrono::seconds(static_cast<int64_t>(seconds.integer)) +
                    std::chrono::nanoseconds(static_cast<int64_t>(nanos.integer)));
}

base::Result<Value> DecodeText(std::string_view text) {
  if (!http::IsValidUtf8(text)) return Malformed();
  return Value(text);
}

// The zero time means none.
base::Result<Value> DecodeTimeText(char form, std::string_view message) {
  COPPICE_ASSIGN(const base::Time time, DecodeTime(message));
  if (time == base::Time{}) return Value();
  return Value(form == 'T' ? base::FormatRfc3339(time) : base::FormatRfc3339Micro(time));
}

base::Result<Value> DecodeIntOrString(std::string_view message) {
  COPPICE_ASSIGN(const base::WireField is_text, FindField(message, 1));
  COPPICE_ASSIGN(const base::WireField integer, FindField(message, 2));
  COPPICE_ASSIGN(const base::WireField text, FindField(message, 3));
  if (is_text.integer != 0) return DecodeText(text.bytes);
  return Value(static_cast<int64_t>(integer.integer));
}

base::Result<Value> DecodeEmbeddedJson(std::string_view message) {
  COPPICE_ASSIGN(const base::WireField raw, FindField(message, 1));
  if (raw.bytes.empty()) return Value();
  auto parsed = json::Parse(raw.bytes);
  if (!parsed) return Malformed();
  return parsed;
}

base::Result<Value> DecodeList(std::string_view form, std::string_view message, int depth) {
  base::WireReader reader(message);
  Value list = Value::Array();
  while (!reader.done()) {
    COPPICE_ASSIGN(const base::WireField field, reader.Next());
    if (field.number != 1) continue;
    COPPICE_ASSIGN(Value item, DecodeForm(form, field, depth));
    list.Append(std::move(item));
  }
  return list;
}

// A schema, or what may replace it: a list of schemas (A) or names (P), a yes or no (B).
base::Result<Value> DecodeSchemaUnion(char form, std::string_view message, int depth) {
  constexpr std::string_view kSchema = "mapiextensions/v1.JSONSchemaProps";
  const uint64_t schema_number = form == 'B' ? 2 : 1;
  base::WireReader reader(message);
  Value schema, list = Value::Array();
  bool allows = false;
  while (!reader.done()) {
    COPPICE_ASSIGN(const base::WireField field, reader.Next());
    if (field.number == schema_number) {
      COPPICE_ASSIGN(schema, DecodeForm(kSchema, field, depth));
    } else if (form == 'B') {
      allows = field.integer != 0;
    } else {
      COPPICE_ASSIGN(Value item, DecodeForm(form == 'A' ? kSchema : "s", field, depth));
      list.Append(std::move(item));
    }
  }
  if (!schema.IsNull()) return schema;
  return form == 'B' ? Value(allows) : list;
}

double AsDouble(const base::WireField& field) {
  double value;
  std::memcpy(&value, &field.integer, sizeof value);
  return value;
}

base::Result<Value> DecodeForm(std::string_view form, const base::WireField& field, int depth) {
  switch (form.front()) {
    case '*':
      return DecodeForm(form.substr(1), field, depth);
    case 's':
      return DecodeText(field.bytes);
    case 'b':
      return Value(field.integer != 0);
    case 'i':
      return Value(static_cast<int64_t>(field.integer));
    case 'd':
      return Value(AsDouble(field));
    case 'y':
      return Value(base::Base64Encode(field.bytes));
    case 'T':
    case 'U':
      return DecodeTimeText(form.front(), field.bytes);
    case 'O':
      return DecodeIntOrString(field.bytes);
    case 'X':
    case 'F':
      return DecodeEmbeddedJson(field.bytes);
    case 'A':
    case 'B':
    case 'P':
      return DecodeSchemaUnion(form.front(), field.bytes, depth);
    case 'L':
      return DecodeList(form.substr(1), field.bytes, depth);
    case 'Q': {
      COPPICE_ASSIGN(const base::WireField text, FindField(field.bytes, 1));
      return DecodeText(text.bytes);
    }
    case 'D': {
      COPPICE_ASSIGN(const base::WireField nanos, FindField(field.bytes, 1));
      return Value(base::FormatDuration(base::Duration(static_cast<int64_t>(nanos.integer))));
    }
    case 'm': {
      const ProtobufType* type = FindProtobufType(form.substr(1));
      if (type == nullptr || depth >= kMaxDepth) return Malformed();
      return DecodeMessage(*type, field.bytes, depth + 1);
    }
  }
  return Malformed();
}

base::Status AddMapEntry(std::string_view form, std::string_view entry, int depth, Value& map) {
  COPPICE_ASSIGN(const base::WireField key, FindField(entry, 1));
  COPPICE_ASSIGN(base::WireField value, FindField(entry, 2));
  if (!http::IsValidUtf8(key.bytes)) return Malformed();
  COPPICE_ASSIGN(Value decoded, DecodeForm(form, value, depth));
  map.Set(key.bytes, std::move(decoded));
  return {};
}

// Plain fields are always on the wire; JSON leaves them out when they are zero.
bool IsZero(const Value& value) {
  if (value.IsString()) return value.AsString().empty();
  if (value.IsBool()) return !value.AsBool();
  if (value.IsNumber()) return value.AsDouble() == 0;
  return value.empty();
}

base::Status AddField(const ProtobufField& known, const base::WireField& field, int depth,
                      Value& object) {
  const char form = known.form.front();
  if (form == 'M') {
    return AddMapEntry(known.form.substr(1), field.bytes, depth, object.Mutable(known.name));
  }
  COPPICE_ASSIGN(Value value,
                 DecodeForm(form == 'R' ? known.form.substr(1) : known.form, field, depth));
  if (form == 'R') {
    object.Mutable(known.name).Append(std::move(value));
  } else if (known.name == "-") {
    for (const json::Member& member : value.Members()) object.Set(member.name(), member.value);
  } else if (form == '*' ? !value.IsNull() : !IsZero(value)) {
    object.Set(known.name, std::move(value));
  }
  return {};
}

base::Result<Value> DecodeMessage(const ProtobufType& type, std::string_view bytes, int depth) {
  Value object = Value::Object();
  base::WireReader reader(bytes);
  while (!reader.done()) {
    COPPICE_ASSIGN(const base::WireField field, reader.Next());
    const auto known = type.find(field.number);
    if (known != type.end()) COPPICE_TRY(AddField(known->second, field, depth, object));
  }
  return object;
}

// The envelope: apiVersion, kind and the object's bytes.
struct Envelope {
  std::string_view api_version, kind, raw;
};

base::Result<Envelope> OpenEnvelope(std::string_view body) {
  if (!body.starts_with(kMagic)) return Malformed();
  body.remove_prefix(kMagic.size());
  COPPICE_ASSIGN(const base::WireField meta, FindField(body, 1));
  COPPICE_ASSIGN(const base::WireField raw, FindField(body, 2));
  COPPICE_ASSIGN(const base::WireField api_version, FindField(meta.bytes, 1));
  COPPICE_ASSIGN(const base::WireField kind, FindField(meta.bytes, 2));
  return Envelope{api_version.bytes, kind.bytes, raw.bytes};
}

}  // namespace

base::Result<json::Value> DecodeProtobuf(std::string_view body) {
  const auto envelope = OpenEnvelope(body);
  if (!envelope) return Malformed();
  const ProtobufType* type = FindProtobufKind(envelope->api_version, envelope->kind);
  if (type == nullptr) return Malformed();
  auto object = DecodeMessage(*type, envelope->raw, 0);
  if (!object) return Malformed();
  object->Set("apiVersion", envelope->api_version).Set("kind", envelope->kind);
  return object;
}

}  // namespace coppice::server
