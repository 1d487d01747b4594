#include <yaml.h>

#include "json/write.h"
#include "json/yaml/yaml.h"
#include "json/yaml/yaml_scalar.h"

namespace coppice::json {
namespace {

int Collect(void* out, unsigned char* data, size_t size) {
  static_cast<std::string*>(out)->append(reinterpret_cast<const char*>(data), size);
  return 1;
}

yaml_scalar_style_t StyleOf(std::string_view text) {
  if (NeedsQuotes(text)) return YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  if (text.find('\n') != std::string_view::npos) return YAML_LITERAL_SCALAR_STYLE;
  return YAML_PLAIN_SCALAR_STYLE;
}

class Emitter {
 public:
  explicit Emitter(std::string& out) {
    yaml_emitter_initialize(&emitter_);
    yaml_emitter_set_output(&emitter_, Collect, &out);
    yaml_emitter_set_unicode(&emitter_, 1);
    yaml_event_t event;
    yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING);
    Emit(event);
    yaml_document_start_event_initialize(&event, nullptr, nullptr, nullptr, 1);
    Emit(event);
  }
  Emitter(const Emitter&) = delete;
  Emitter& operator=(const Emitter&) = delete;
  ~Emitter() { yaml_emitter_delete(&emitter_); }

  void Any(const Value& value) {
    switch (value.type()) {
      case Type::kArray:
        Sequence(value);
        break;
      case Type::kObject:
        Mapping(value);
        break;
      case Type::kString:
        Scalar(value.AsString(), StyleOf(value.AsString()));
        break;
      default:
        Scalar(Write(value), YAML_PLAIN_SCALAR_STYLE);
    }
  }

  void Finish() {
    yaml_event_t event;
    yaml_document_end_event_initialize(&event, 1);
    Emit(event);
    yaml_stream_end_event_initialize(&event);
    Emit(event);
    yaml_emitter_flush(&emitter_);
  }

 private:
  void Emit(yaml_event_t& event) { yaml_emitter_emit(&emitter_, &event); }

  void Scalar(std::string_view text, yaml_scalar_style_t style) {
    yaml_event_t event;
    const bool made = yaml_scalar_event_initialize(
        &event, nullptr, nullptr, reinterpret_cast<const yaml_char_t*>(text.data()),
        static_cast<int>(text.size()), 1, 1, style);
    if (made) return Emit(event);
    // Not UTF-8, which no parsed document holds: keep the document's shape without the text.
    Scalar("\xef\xbf\xbd", YAML_PLAIN_SCALAR_STYLE);
  }

  void Sequence(const Value& value) {
    const auto style = value.empty() ? YAML_FLOW_SEQUENCE_STYLE : YAML_BLOCK_SEQUENCE_STYLE;
    yaml_event_t event;
    yaml_sequence_start_event_initialize(&event, nullptr, nullptr, 1, style);
    Emit(event);
    for (const Value& item : value.Items()) Any(item);
    yaml_sequence_end_event_initialize(&event);
    Emit(event);
  }

  void Mapping(const Value& value) {
    const auto style = value.empty() ? YAML_FLOW_MAPPING_STYLE : YAML_BLOCK_MAPPING_STYLE;
    yaml_event_t event;
    yaml_mapping_start_event_initialize(&event, nullptr, nullptr, 1, style);
    Emit(event);
    for (const Member& member : value.Members()) {
      Scalar(member.name(), StyleOf(member.name()));
      Any(member.value);
    }
    yaml_mapping_end_event_initialize(&event);
    Emit(event);
  }

  yaml_emitter_t emitter_{};
};

}  // namespace

std::string WriteYaml(const Value& value) {
  std::string out;
  Emitter emitter(out);
  emitter.Any(value);
  emitter.Finish();
  return out;
}

}  // namespace coppice::json
