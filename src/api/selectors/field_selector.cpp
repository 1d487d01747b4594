#include "api/selectors/field_selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "json/write.h"

namespace coppice::api {
namespace {

// Cuts at commas that no backslash protects.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

base::Result<std::string> Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' || text[i] == '=') {
      return base::InvalidArgument(
          fmt::format("invalid field selector: unescaped character in value: {}", int{text[i]}));
    }
    if (text[i] == '\\') {
      const std::string_view sequence = text.substr(i, 2);
      if (sequence != "\\\\" && sequence != "\\," && sequence != "\\=") {
        return base::InvalidArgument(
            fmt::format("invalid field selector: invalid escape sequence: {}", sequence));
      }
      ++i;
    }
    out += text[i];
  }
  return out;
}

std::string Escape(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
  return out;
}

base::Result<FieldSelector::Requirement> ParseTerm(std::string_view term,
                                                   std::string_view selector) {
  const size_t at = term.find('=');
  const size_t bang = term.find("!=");
  if (at == std::string_view::npos) {
    return base::InvalidArgument(
        fmt::format("invalid selector: '{}'; can't understand '{}'", selector, term));
  }
  const bool equal = bang > at;
  const size_t end = equal ? at : bang;
  const size_t width = !equal || term.substr(at).starts_with("==") ? 2 : 1;
  COPPICE_ASSIGN(std::string value, Unescape(term.substr(end + width)));
  return FieldSelector::Requirement{std::string(term.substr(0, end)), equal, std::move(value)};
}

}  // namespace

namespace {

std::string TextOf(const json::Value& object, const FieldSelector::Requirement& one) {
  std::string text = FieldText(object, one.field);
  if (text.empty() && !one.instead.empty()) text = FieldText(object, one.instead);
  return text.empty() ? one.absent : text;
}

}  // namespace

std::string FieldText(const json::Value& object, std::string_view field) {
  const json::Value* value = &object;
  while (!field.empty()) {
    const size_t dot = std::min(field.find('.'), field.size());
    value = &(*value)[field.substr(0, dot)];
    field.remove_prefix(std::min(dot + 1, field.size()));
  }
  if (value->IsString()) return value->ToString();
  return value->IsBool() || value->IsNumber() ? json::Write(*value) : std::string();
}

void FieldSelector::RenameFields(std::string_view from, std::string_view to) {
  for (Requirement& each : requirements_) {
    const bool whole = each.field == from;
    const bool within = each.field.size() > from.size() && each.field.starts_with(from) &&
                        each.field[from.size()] == '.';
    if (whole || within) each.field.replace(0, from.size(), to);
  }
}

base::Result<FieldSelector> FieldSelector::Parse(std::string_view text) {
  FieldSelector selector;
  auto terms = SplitTerms(text);
  std::sort(terms.begin(), terms.end());
  for (const std::string_view term : terms) {
    if (term.empty()) continue;
    COPPICE_ASSIGN(auto requirement, ParseTerm(term, text));
    selector.requirements_.push_back(std::move(requirement));
  }
  return selector;
}

FieldSelector FieldSelector::Equal(std::string_view field, std::string_view value) {
  FieldSelector selector;
  selector.requirements_.push_back({std::string(field), true, std::string(value)});
  return selector;
}

bool FieldSelector::Matches(const json::Value& object) const {
  return std::ranges::all_of(requirements_, [&](const Requirement& one) {
    return (TextOf(object, one) == one.value) == one.equal;
  });
}

const std::string* FieldSelector::Demanded(std::string_view field) const {
  for (const Requirement& one : requirements_) {
    if (one.equal && one.field == field) return &one.value;
  }
  return nullptr;
}

base::Status FieldSelector::Resolve(const std::vector<SelectableField>& supported) {
  for (Requirement& one : requirements_) {
    const auto found = std::ranges::find(supported, one.field, &SelectableField::name);
    if (found == supported.end()) {
      return base::InvalidArgument(fmt::format("field label not supported: {}", one.field));
    }
    one.field = found->path;
    one.absent = found->absent;
    one.instead = found->instead;
  }
  return {};
}

std::string FieldSelector::ToString() const {
  std::string out;
  for (const Requirement& one : requirements_) {
    out += fmt::format("{}{}{}{}", out.empty() ? "" : ",", one.field,
                       one.equal ? "=" : "!=", Escape(one.value));
  }
  return out;
}

}  // namespace coppice::api
