#include "backends/declarative/template.h"

#include <fmt/format.h>

#include <charconv>

#include "api/key/backendfiles.h"
#include "backends/model/names.h"
#include "json/write.h"

namespace coppice::backends::declarative {
namespace {

using json::Value;

// Template directives.
constexpr std::string_view kIf = "$if";
constexpr std::string_view kFor = "$for";
constexpr std::string_view kAs = "$as";
constexpr std::string_view kKey = "$key";
constexpr std::string_view kValue = "$value";

base::Error WrongTemplate(const std::string& path, const std::string& message) {
  return base::Error(base::ErrorCode::kInvalid,
                     (path.empty() ? "template" : path) + ": " + message);
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool IsEmpty(const Value& value) {
  if (value.IsNull()) return true;
  if (value.IsBool()) return !value.AsBool();
  if (value.IsNumber()) return value.AsDouble() == 0;
  if (value.IsString()) return value.AsString().empty();
  return value.empty();
}

std::string Text(const Value& value) {
  return value.IsString() ? value.ToString() : value.IsNull() ? "" : json::Write(value);
}

base::Result<Value> Filter(std::string_view filter, const Value& value, const std::string& path) {
  const size_t open = filter.find('(');
  const std::string_view name = filter.substr(0, open);
  std::string_view argument;
  if (open != std::string_view::npos) {
    if (!filter.ends_with(')')) return WrongTemplate(path, fmt::format("\"{}\" has no )", filter));
    argument = filter.substr(open + 1, filter.size() - open - 2);
  }
  if (name == "string") return Value(Text(value));
  if (name == "json") return Value(json::Write(value));
  if (name == "label") return Value(ShortLabel(Text(value)));
  if (name == "default") return IsEmpty(value) ? Value(argument) : value;
  if (name == "short") {
    size_t limit = 0;
    std::from_chars(argument.data(), argument.data() + argument.size(), limit);
    if (limit < 12) return WrongTemplate(path, "short needs a length of at least 12");
    return Value(Short(Text(value), limit));
  }
  return WrongTemplate(path, fmt::format("unknown filter \"{}\"", name));
}

base::Result<Value> Evaluate(std::string_view expression, const Value& document,
                             const std::string& path) {
  size_t bar = expression.find('|');
  auto value = Lookup(document, Trim(expression.substr(0, bar)));
  if (!value) return WrongTemplate(path, value.error().message());
  Value result = *value;
  while (bar != std::string_view::npos) {
    const size_t next = expression.find('|', bar + 1);
    const std::string_view filter = Trim(expression.substr(bar + 1, next - bar - 1));
    COPPICE_ASSIGN(result, Filter(filter, result, path));
    bar = next;
  }
  return result;
}

base::Result<Value> FillText(std::string_view text, const Value& document,
                             const std::string& path) {
  if (text.starts_with("${") && text.find('}') == text.size() - 1) {
    return Evaluate(text.substr(2, text.size() - 3), document, path);
  }
  std::string out;
  while (true) {
    const size_t open = text.find("${");
    out += text.substr(0, open);
    if (open == std::string_view::npos) return Value(out);
    const size_t close = text.find('}', open);
    if (close == std::string_view::npos) return WrongTemplate(path, "${ without }");
    COPPICE_ASSIGN(const Value value,
                   Evaluate(text.substr(open + 2, close - open - 2), document, path));
    out += Text(value);
    text = text.substr(close + 1);
  }
}

base::Result<Value> FillAny(const Value& tmpl, const Value& document, const std::string& path);

// The elements of a $for, each as a document with the element under its name.
base::Result<std::vector<Value>> Elements(const Value& tmpl, const Value& document,
                                          const std::string& path) {
  COPPICE_ASSIGN(const Value list, Lookup(document, tmpl[kFor].AsString()));
  const std::string name = tmpl[kAs].ToString(key::backendfiles::GangDocument::item);
  std::vector<Value> documents;
  for (const Value& element : list.Items()) {
    documents.push_back(document);
    documents.back().Set(name, element);
  }
  if (!list.IsNull() && !list.IsArray()) return WrongTemplate(path + ".$for", "is not a list");
  return documents;
}

base::Result<bool> IsWanted(const Value& tmpl, const Value& document, const std::string& path) {
  if (!tmpl.Has(kIf)) return true;
  auto value = Lookup(document, tmpl[kIf].AsString());
  if (!value) return WrongTemplate(path + ".$if", value.error().message());
  return !IsEmpty(*value);
}

base::Result<Value> FillEntries(const Value& tmpl, const Value& document, const std::string& path) {
  Value out = Value::Object();
  COPPICE_ASSIGN(const std::vector<Value> elements, Elements(tmpl, document, path));
  for (const Value& element : elements) {
    COPPICE_ASSIGN(const bool wanted, IsWanted(tmpl, element, path));
    if (!wanted) continue;
    COPPICE_ASSIGN(const Value key, FillAny(tmpl[kKey], element, path + ".$key"));
    COPPICE_ASSIGN(Value value, FillAny(tmpl[kValue], element, path + ".$value"));
    if (!value.IsNull()) out.Set(Text(key), std::move(value));
  }
  return out;
}

base::Result<Value> FillObject(const Value& tmpl, const Value& document, const std::string& path) {
  if (tmpl.Has(kKey)) return FillEntries(tmpl, document, path);
  COPPICE_ASSIGN(const bool wanted, IsWanted(tmpl, document, path));
  if (!wanted) return Value();
  Value out = Value::Object();
  for (const json::Member& member : tmpl.Members()) {
    const std::string_view name = member.name();
    if (name == kIf || name == kFor || name == kAs) continue;
    if (name.starts_with('$') && !name.starts_with("${")) {
      return WrongTemplate(path, fmt::format("unknown directive \"{}\"", name));
    }
    COPPICE_ASSIGN(const Value key, FillText(name, document, path));
    COPPICE_ASSIGN(Value value, FillAny(member.value, document, path + "." + std::string(name)));
    if (!value.IsNull()) out.Set(Text(key), std::move(value));
  }
  return out;
}

base::Result<Value> FillArray(const Value& tmpl, const Value& document, const std::string& path) {
  Value out = Value::Array();
  for (size_t i = 0; i < tmpl.size(); ++i) {
    const Value& item = tmpl.At(i);
    const std::string below = fmt::format("{}[{}]", path, i);
    std::vector<Value> documents = {document};
    if (item.Has(kFor)) {
      COPPICE_ASSIGN(documents, Elements(item, document, below));
    }
    for (const Value& each : documents) {
      COPPICE_ASSIGN(Value filled, FillAny(item, each, below));
      if (!filled.IsNull()) out.Append(std::move(filled));
    }
  }
  return out;
}

base::Result<Value> FillAny(const Value& tmpl, const Value& document, const std::string& path) {
  if (tmpl.IsString()) return FillText(tmpl.AsString(), document, path);
  if (tmpl.IsObject()) return FillObject(tmpl, document, path);
  if (tmpl.IsArray()) return FillArray(tmpl, document, path);
  return tmpl;
}

}  // namespace

base::Result<Value> Fill(const Value& tmpl, const Value& document) {
  return FillAny(tmpl, document, "");
}

base::Result<Value> Lookup(const Value& document, std::string_view path) {
  if (path.empty()) return WrongTemplate("", "an empty path");
  Value value = document;
  while (!path.empty()) {
    std::string_view key;
    if (path.front() == '[') {
      const size_t close = path.find(']');
      if (close == std::string_view::npos) {
        return WrongTemplate("", fmt::format("[ without ] in {}", path));
      }
      key = path.substr(1, close - 1);
      path = path.substr(close + 1);
    } else {
      const size_t end = path.find_first_of(".[");
      key = path.substr(0, end);
      path = end == std::string_view::npos ? std::string_view() : path.substr(end);
    }
    if (path.starts_with('.')) path.remove_prefix(1);
    value = Value(value[key]);
  }
  return value;
}

}  // namespace coppice::backends::declarative
