#include "backends/plugin/host.h"

#include <memory>

namespace coppice::backends::plugin {
namespace {

using json::Value;

const Value& In(const coppice_value* value) {
  static const Value kNone;
  return value == nullptr ? kNone : *reinterpret_cast<const Value*>(value);
}

Value* Own(coppice_value* value) { return reinterpret_cast<Value*>(value); }
coppice_value* Give(Value value) {
  return reinterpret_cast<coppice_value*>(new Value(std::move(value)));
}

void Set(coppice_value* object, const char* key, coppice_value* child) {
  if (object == nullptr || key == nullptr) return;
  Own(object)->Set(key, Take(child));
}

void Append(coppice_value* array, coppice_value* child) {
  if (array != nullptr) Own(array)->Append(Take(child));
}

const char* Text(const coppice_value* value, size_t* length) {
  const std::string_view text = In(value).AsString();
  if (length != nullptr) *length = text.size();
  return text.data() == nullptr ? "" : text.data();
}

}  // namespace

Value Take(coppice_value* value) {
  if (value == nullptr) return {};
  const std::unique_ptr<Value> owned(Own(value));
  return std::move(*owned);
}

const coppice_host_v1& Host() {
  static const coppice_host_v1 kHost = {
      .size = sizeof(coppice_host_v1),
      .member =
          [](const coppice_value* value, const char* key) {
            return ToPlugin(In(value)[std::string_view(key == nullptr ? "" : key)]);
          },
      .item = [](const coppice_value* value,
                 size_t index) { return ToPlugin(In(value).At(index)); },
      .count = [](const coppice_value* value) { return In(value).size(); },
      .text = &Text,
      .integer = [](const coppice_value* value) { return In(value).AsInt(); },
      .is_null = [](const coppice_value* value) { return In(value).IsNull() ? 1 : 0; },
      .make_object = [] { return Give(Value::Object()); },
      .make_array = [] { return Give(Value::Array()); },
      .make_text = [](const char* text,
                      size_t length) { return Give(Value(std::string_view(text, length))); },
      .make_integer = [](int64_t number) { return Give(Value(number)); },
      .make_boolean = [](int truth) { return Give(Value(truth != 0)); },
      .copy = [](const coppice_value* value) { return Give(In(value)); },
      .set = &Set,
      .append = &Append,
      .release = [](coppice_value* value) { Take(value); },
  };
  return kHost;
}

}  // namespace coppice::backends::plugin
