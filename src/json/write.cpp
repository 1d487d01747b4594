#include "json/write.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "base/quote.h"

namespace coppice::json {
namespace {

void WriteDouble(double d, std::string& out) {
  if (!std::isfinite(d)) {  // Not JSON; cannot come from a parsed document.
    out += "null";
    return;
  }
  char buffer[32];
  // Long rows of digits would read back as an integer that fits nowhere.
  const auto end =
      std::abs(d) < 1e18
          ? std::to_chars(buffer, buffer + sizeof buffer, d).ptr
          : std::to_chars(buffer, buffer + sizeof buffer, d, std::chars_format::scientific).ptr;
  out.append(buffer, end);
}

class Writer {
 public:
  Writer(std::string& out, bool pretty) : out_(out), pretty_(pretty) {}

  void Any(const Value& value) {
    switch (value.type()) {
      case Type::kNull:
        out_ += "null";
        break;
      case Type::kBool:
        out_ += value.AsBool() ? "true" : "false";
        break;
      case Type::kInt:
        fmt::format_to(std::back_inserter(out_), "{}", value.AsInt());
        break;
      case Type::kDouble:
        WriteDouble(value.AsDouble(), out_);
        break;
      case Type::kString:
        WriteString(value.AsString(), out_);
        break;
      case Type::kArray:
        Array(value);
        break;
      case Type::kObject:
        Object(value);
        break;
    }
  }

 private:
  void Array(const Value& value) {
    out_ += '[';
    Open();
    bool first = true;
    for (const Value& item : value.Items()) {
      Separate(first);
      Any(item);
    }
    Close(first);
    out_ += ']';
  }

  void Object(const Value& value) {
    out_ += '{';
    Open();
    bool first = true;
    for (const Member& member : value.Members()) {
      Separate(first);
      WriteString(member.name(), out_);
      out_ += pretty_ ? ": " : ":";
      Any(member.value);
    }
    Close(first);
    out_ += '}';
  }

  void Open() { ++depth_; }

  void Separate(bool& first) {
    if (!first) out_ += ',';
    first = false;
    NewLine();
  }

  void Close(bool empty) {
    --depth_;
    if (!empty) NewLine();
  }

  void NewLine() {
    if (pretty_) out_.append("\n").append(2 * depth_, ' ');
  }

  std::string& out_;
  bool pretty_;
  size_t depth_ = 0;
};

}  // namespace

void WriteString(std::string_view text, std::string& out) { base::AppendQuoted(text, out); }

void WriteTo(const Value& value, std::string& out) { Writer(out, false).Any(value); }

std::string Write(const Value& value) {
  std::string out;
  WriteTo(value, out);
  return out;
}

std::string WritePretty(const Value& value) {
  std::string out;
  Writer(out, true).Any(value);
  return out;
}

}  // namespace coppice::json
