#include <fmt/format.h>
#include <yaml.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/base64.h"
#include "json/write.h"
#include "json/yaml/yaml.h"
#include "json/yaml/yaml_scalar.h"

namespace coppice::json {
namespace {

constexpr size_t kMaxDepth = 512;
// Of text that aliases repeat. It is shared as long as it is read, and not when it is written.
constexpr size_t kMaxRepeatedBytes = 16 << 20;

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { Reset(); }

  void Reset() { yaml_event_delete(&raw_), raw_ = {}; }
  yaml_event_t* raw() { return &raw_; }
  yaml_event_type_t type() const { return raw_.type; }
  size_t line() const { return raw_.start_mark.line + 1; }

 private:
  yaml_event_t raw_{};
};

std::string_view Text(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

struct Anchored {
  Value value;
  size_t size = 0;   // In values.
  size_t bytes = 0;  // Of text.
  size_t depth = 0;  // Of what is below it.
};

class Reader {
 public:
  Reader(std::string_view text, const YamlOptions& options)
      : options_(options), max_bytes_(text.size() + kMaxRepeatedBytes) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { yaml_parser_delete(&parser_); }

  // Up to `limit` documents that are not null.
  base::Result<std::vector<Value>> Documents(size_t limit) {
    std::vector<Value> out;
    while (out.size() < limit) {
      COPPICE_TRY(Advance());
      if (event_.type() == YAML_STREAM_END_EVENT) break;
      if (event_.type() != YAML_DOCUMENT_START_EVENT) continue;
      anchors_.clear();
      values_ = bytes_ = deepest_ = 0;
      COPPICE_TRY(Advance());
      COPPICE_ASSIGN(Value document, Node(0));
      COPPICE_TRY(Advance());  // The document's end, or what is wrong with what follows.
      if (!document.IsNull()) out.push_back(std::move(document));
    }
    return out;
  }

 private:
  // Measures the value that starts at `depth` while it is read.
  class Extent {
   public:
    Extent(Reader& reader, size_t depth)
        : reader_(reader),
          depth_(depth),
          values_(reader.values_),
          bytes_(reader.bytes_),
          deepest_(std::exchange(reader.deepest_, depth)) {}
    ~Extent() { reader_.deepest_ = std::max(reader_.deepest_, deepest_); }

    Anchored Of(const Value& value) const {
      return {value, reader_.values_ - values_ + 1, reader_.bytes_ - bytes_,
              reader_.deepest_ - depth_};
    }

   private:
    Reader& reader_;
    const size_t depth_, values_, bytes_;
    const size_t deepest_;  // Of what was read before.
  };

  base::Status Advance() {
    event_.Reset();
    if (yaml_parser_parse(&parser_, event_.raw()) != 0) return {};
    const char* problem = parser_.problem == nullptr ? "malformed text" : parser_.problem;
    if (parser_.error == YAML_READER_ERROR) {
      return base::InvalidArgument(fmt::format("yaml: {}", problem));
    }
    return Problem(parser_.problem_mark.line + 1, problem);
  }

  static base::Error Problem(size_t line, std::string_view problem) {
    return base::InvalidArgument(fmt::format("yaml: line {}: {}", line, problem));
  }

  // The value that starts at the current event; its last event is current afterwards.
  base::Result<Value> Node(size_t depth) {
    if (depth > kMaxDepth) return Problem(event_.line(), "exceeded max depth");
    deepest_ = std::max(deepest_, depth);
    if (++values_ > options_.max_values) {
      return Problem(event_.line(), "document contains excessive aliasing");
    }
    switch (event_.type()) {
      case YAML_ALIAS_EVENT:
        return Alias(depth);
      case YAML_SCALAR_EVENT:
        return Scalar();
      case YAML_SEQUENCE_START_EVENT:
        return Sequence(depth);
      case YAML_MAPPING_START_EVENT:
        return Mapping(depth);
      default:
        return Problem(event_.line(), "unexpected end of document");
    }
  }

  base::Result<Value> Alias(size_t depth) {
    const std::string_view name = Text(event_.raw()->data.alias.anchor);
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return Problem(event_.line(), fmt::format("unknown anchor '{}' referenced", name));
    }
    values_ += found->second.size;
    bytes_ += found->second.bytes;
    if (values_ > options_.max_values || bytes_ > max_bytes_) {
      return Problem(event_.line(), "document contains excessive aliasing");
    }
    deepest_ = std::max(deepest_, depth + found->second.depth);
    if (deepest_ > kMaxDepth) return Problem(event_.line(), "exceeded max depth");
    return found->second.value;
  }

  base::Result<Value> Scalar() {
    const auto& scalar = event_.raw()->data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    const std::string_view tag = Text(scalar.tag);
    const std::string anchor(Text(scalar.anchor));
    COPPICE_ASSIGN(Value value, Resolve(text, tag, scalar.style == YAML_PLAIN_SCALAR_STYLE));
    bytes_ += text.size();
    if (!anchor.empty()) anchors_[anchor] = {value, 1, text.size()};
    return value;
  }

  base::Result<Value> Resolve(std::string_view text, std::string_view tag, bool plain) const {
    if (tag.empty()) return plain ? ResolvePlainScalar(text) : Value(text);
    if (tag == YAML_STR_TAG || tag == "!") return Value(text);
    if (tag == "tag:yaml.org,2002:binary") {
      const auto decoded = base::Base64Decode(text);
      if (!decoded) return Problem(event_.line(), "!!binary value contains invalid base64 data");
      return Value(*decoded);
    }
    const Value value = ResolvePlainScalar(text);
    const bool fits =
        (tag == YAML_INT_TAG && value.IsInt()) || (tag == YAML_FLOAT_TAG && value.IsNumber()) ||
        (tag == YAML_BOOL_TAG && value.IsBool()) || (tag == YAML_NULL_TAG && value.IsNull()) ||
        !tag.starts_with("tag:yaml.org,2002:") || tag == YAML_TIMESTAMP_TAG;
    if (fits) return tag == YAML_TIMESTAMP_TAG ? Value(text) : value;
    return Problem(event_.line(), fmt::format("cannot decode `{}` as a {}", text, tag));
  }

  base::Result<Value> Sequence(size_t depth) {
    const std::string anchor(Text(event_.raw()->data.sequence_start.anchor));
    const Extent extent(*this, depth);
    std::vector<Value> items;
    for (;;) {
      COPPICE_TRY(Advance());
      if (event_.type() == YAML_SEQUENCE_END_EVENT) break;
      const size_t outer = path_.size();
      if (options_.duplicates != nullptr) path_ += fmt::format("[{}]", items.size());
      COPPICE_ASSIGN(Value item, Node(depth + 1));
      path_.resize(outer);
      items.push_back(std::move(item));
    }
    Value out = Value::Array(std::move(items));
    if (!anchor.empty()) anchors_[anchor] = extent.Of(out);
    return out;
  }

  base::Result<Value> Mapping(size_t depth) {
    const std::string anchor(Text(event_.raw()->data.mapping_start.anchor));
    const Extent extent(*this, depth);
    std::vector<Member> members;
    std::vector<Value> merged;
    for (;;) {
      COPPICE_TRY(Advance());
      if (event_.type() == YAML_MAPPING_END_EVENT) break;
      const size_t line = event_.line();
      const bool merge = IsMergeKey();
      COPPICE_ASSIGN(Value key, Node(depth + 1));
      COPPICE_ASSIGN(key, KeyText(key, line));
      COPPICE_TRY(Advance());
      const size_t outer = path_.size();
      if (options_.duplicates != nullptr) {
        path_ += fmt::format("{}{}", path_.empty() ? "" : ".", key.AsString());
      }
      COPPICE_ASSIGN(Value value, Node(depth + 1));
      path_.resize(outer);
      if (merge) {
        COPPICE_TRY(CollectMerged(value, line, merged));
      } else {
        members.push_back({std::move(key), std::move(value)});
      }
    }
    Value out = Combine(std::move(members), merged);
    if (!anchor.empty()) anchors_[anchor] = extent.Of(out);
    return out;
  }

  bool IsMergeKey() {
    if (event_.type() != YAML_SCALAR_EVENT) return false;
    const auto& scalar = event_.raw()->data.scalar;
    return scalar.style == YAML_PLAIN_SCALAR_STYLE && Text(scalar.value) == "<<";
  }

  static base::Result<Value> KeyText(const Value& key, size_t line) {
    if (key.IsString()) return key;
    if (key.IsBool() || key.IsNumber()) return Value(Write(key));
    return Problem(line, "a key must be a string, a number or a boolean");
  }

  static base::Status CollectMerged(const Value& value, size_t line, std::vector<Value>& merged) {
    if (value.IsObject()) return merged.push_back(value), base::Status();
    for (const Value& item : value.Items()) {
      if (!item.IsObject()) return Problem(line, "map merge requires map or sequence of maps");
      merged.push_back(item);
    }
    if (value.IsArray()) return {};
    return Problem(line, "map merge requires map or sequence of maps");
  }

  // What is written in the mapping wins over what is merged in; of merged ones the first wins.
  Value Combine(std::vector<Member> members, const std::vector<Value>& merged) {
    const size_t all = members.size();
    std::vector<Member> written;
    if (options_.duplicates != nullptr) written = members;
    Value out = Value::Object(std::move(members));
    if (options_.duplicates != nullptr && out.size() != all) ReportDuplicates(std::move(written));
    for (const Value& source : merged) {
      for (const Member& member : source.Members()) out.SetDefault(member.name(), member.value);
    }
    return out;
  }

  void ReportDuplicates(std::vector<Member> members) {
    std::map<std::string_view, int> seen;
    for (const Member& member : members) {
      if (++seen[member.name()] != 2) continue;
      options_.duplicates->push_back(path_.empty() ? std::string(member.name())
                                                   : fmt::format("{}.{}", path_, member.name()));
    }
  }

  const YamlOptions& options_;
  yaml_parser_t parser_{};
  Event event_;
  std::map<std::string, Anchored, std::less<>> anchors_;
  const size_t max_bytes_;
  size_t values_ = 0;
  size_t bytes_ = 0;    // Of text, with what aliases repeat.
  size_t deepest_ = 0;  // Within the outermost value, or the one that an Extent measures.
  std::string path_;
};

}  // namespace

base::Result<Value> ParseYaml(std::string_view text, const YamlOptions& options) {
  COPPICE_ASSIGN(auto documents, Reader(text, options).Documents(1));
  return documents.empty() ? Value() : std::move(documents[0]);
}

base::Result<std::vector<Value>> ParseYamlDocuments(std::string_view text,
                                                    const YamlOptions& options) {
  return Reader(text, options).Documents(SIZE_MAX);
}

}  // namespace coppice::json
