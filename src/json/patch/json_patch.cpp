#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "json/patch/patch.h"
#include "json/text_size.h"

namespace coppice::json {
namespace {

// As many as Kubernetes takes.
constexpr size_t kMaxOperations = 10'000;

// How much all copy operations together may add, in bytes of text: copies of copies grow fast.
constexpr size_t kMaxCopied = 3 * 1024 * 1024;

// What the parser reads back.
constexpr size_t kMaxDepth = 512;

// How many values all operations together may look at or shift in a list: each operation can be
// about a list of a million.
constexpr size_t kMaxTouched = 10'000'000;

// Adds how many values it has looked at to `touched`.
size_t DepthOf(const Value& value, size_t& touched) {
  if (++touched > kMaxTouched) return 1;
  size_t deepest = 0;
  for (const Value& item : value.Items()) deepest = std::max(deepest, DepthOf(item, touched));
  for (const Member& member : value.Members()) {
    deepest = std::max(deepest, DepthOf(member.value, touched));
  }
  return deepest + 1;
}

base::Error DoesNotApply(std::string message) {
  return base::Error(base::ErrorCode::kInvalid, std::move(message));
}

std::string Unescape(std::string_view token) {
  std::string out;
  for (size_t i = 0; i < token.size(); ++i) {
    const std::string_view pair = token.substr(i, 2);
    if (pair == "~0" || pair == "~1") {
      out += pair == "~0" ? '~' : '/';
      ++i;
    } else {
      out += token[i];
    }
  }
  return out;
}

// The tokens of a JSON pointer; nothing when it does not start with a slash.
std::vector<std::string> Tokens(std::string_view pointer) {
  std::vector<std::string> tokens;
  while (pointer.starts_with('/')) {
    const size_t end = std::min(pointer.find('/', 1), pointer.size());
    tokens.push_back(Unescape(pointer.substr(1, end - 1)));
    pointer.remove_prefix(end);
  }
  return tokens;
}

// The list index that the token names, given `size` places; -1 is the last one.
base::Result<size_t> IndexOf(std::string_view token, size_t size) {
  int64_t index = 0;
  const char* const last = token.data() + token.size();
  const auto [end, error] = std::from_chars(token.data(), last, index);
  if (error != std::errc() || end != last) {
    return DoesNotApply(fmt::format("strconv.Atoi: parsing \"{}\": invalid syntax", token));
  }
  const auto places = static_cast<int64_t>(size);
  if (index < 0 && index >= -places) index += places;
  if (index < 0 || index >= places) {
    return DoesNotApply(
        fmt::format("Unable to access invalid index: {}: invalid index referenced", token));
  }
  return static_cast<size_t>(index);
}

// The value at one token below `parent`; null when there is none.
const Value* Step(const Value& parent, std::string_view token) {
  if (!parent.IsArray()) return parent.Find(token);
  const auto index = IndexOf(token, parent.size());
  return index ? &parent.At(*index) : nullptr;
}

const Value* Resolve(const Value& document, const std::vector<std::string>& tokens) {
  const Value* at = &document;
  for (const std::string& token : tokens) {
    at = Step(*at, token);
    if (at == nullptr) return nullptr;
  }
  return at;
}

// Where an operation happens: the container, and the last token within it.
struct Place {
  Value* parent = nullptr;  // Null when the path leads nowhere.
  std::string token;
};

Place FindPlace(Value& document, std::string_view pointer) {
  const std::vector<std::string> tokens = Tokens(pointer);
  if (tokens.empty()) return {};
  Value* at = &document;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (Step(*at, tokens[i]) == nullptr) return {};
    at = at->IsArray() ? &at->MutableAt(*IndexOf(tokens[i], at->size())) : &at->Mutable(tokens[i]);
  }
  if (!at->IsArray() && !at->IsObject()) return {};
  return {at, tokens.back()};
}

// What it costs to make room for a value there, or to close the gap that it leaves: many are
// shifted in the time in which one is looked at.
size_t ShiftCost(const Place& place) {
  constexpr size_t kShiftedPerLook = 16;
  if (place.parent->IsObject()) return place.parent->size() / kShiftedPerLook;
  if (place.token == "-") return 0;
  const auto index = IndexOf(place.token, place.parent->size());
  return index ? (place.parent->size() - *index) / kShiftedPerLook : 0;
}

base::Status AddAt(const Place& place, Value value) {
  if (!place.parent->IsArray()) {
    place.parent->Set(place.token, std::move(value));
    return {};
  }
  auto& items = place.parent->MutableItems();
  if (place.token == "-") {
    items.push_back(std::move(value));
    return {};
  }
  COPPICE_ASSIGN(const size_t index, IndexOf(place.token, items.size() + 1));
  items.insert(items.begin() + static_cast<ptrdiff_t>(index), std::move(value));
  return {};
}

base::Status RemoveAt(const Place& place) {
  if (!place.parent->IsArray()) {
    if (place.parent->Erase(place.token)) return {};
    return DoesNotApply(
        fmt::format("Unable to remove nonexistent key: {}: missing value", place.token));
  }
  auto& items = place.parent->MutableItems();
  COPPICE_ASSIGN(const size_t index, IndexOf(place.token, items.size()));
  items.erase(items.begin() + static_cast<ptrdiff_t>(index));
  return {};
}

class Patcher {
 public:
  explicit Patcher(Value document) : document_(std::move(document)) {}

  base::Status Apply(const Value& operation) {
    op_ = operation["op"].ToString("unknown");
    if (!operation["path"].IsString()) {
      return DoesNotApply(fmt::format("{} operation failed to decode path: missing value", op_));
    }
    path_ = operation["path"].ToString();
    from_ = operation["from"].ToString();
    if (op_ == "add") return Add(operation["value"]);
    if (op_ == "remove") return Remove(path_);
    if (op_ == "replace") return Replace(operation["value"]);
    if (op_ == "test") return Test(operation["value"]);
    if (op_ == "move" || op_ == "copy") return Transfer(op_ == "move");
    return DoesNotApply(fmt::format("Unexpected kind: {}", op_));
  }

  Value Take() && { return std::move(document_); }

 private:
  base::Error MissingPath(std::string_view path) const {
    return DoesNotApply(
        fmt::format("{} operation does not apply: doc is missing path: \"{}\": "
                    "missing value",
                    op_, path));
  }

  base::Status InPath(base::Status status, std::string_view path) const {
    if (status) return status;
    return DoesNotApply(
        fmt::format("error in {} for path: '{}': {}", op_, path, status.error().message()));
  }

  base::Status Touch(size_t values) {
    touched_ += values;
    if (touched_ <= kMaxTouched) return {};
    return base::Error(base::ErrorCode::kTooLarge,
                       "the operations of the JSON patch move too many values");
  }

  base::Status CheckDepth(const Value& value) {
    const auto steps = static_cast<size_t>(std::ranges::count(path_, '/'));
    const size_t depth = DepthOf(value, touched_);
    COPPICE_TRY(Touch(0));
    if (steps <= kMaxDepth && steps + depth <= kMaxDepth) return {};
    return DoesNotApply(
        fmt::format("{} operation does not apply: the document would nest deeper "
                    "than {} levels",
                    op_, kMaxDepth));
  }

  base::Status Add(const Value& value) {
    COPPICE_TRY(CheckDepth(value));
    const Place place = FindPlace(document_, path_);
    if (place.parent == nullptr) return MissingPath(path_);
    COPPICE_TRY(Touch(ShiftCost(place)));
    return InPath(AddAt(place, value), path_);
  }

  base::Status Remove(const std::string& path) {
    const Place place = FindPlace(document_, path);
    if (place.parent == nullptr) return MissingPath(path);
    COPPICE_TRY(Touch(ShiftCost(place)));
    return InPath(RemoveAt(place), path);
  }

  base::Status Replace(const Value& value) {
    COPPICE_TRY(CheckDepth(value));
    if (path_.empty()) {
      document_ = value;
      return {};
    }
    const Place place = FindPlace(document_, path_);
    if (place.parent == nullptr) {
      return DoesNotApply(fmt::format(
          "replace operation does not apply: doc is missing path: {}: missing value", path_));
    }
    if (!place.parent->IsArray()) return AddAt(place, value);
    const auto index = IndexOf(place.token, place.parent->size());
    if (!index) {
      return DoesNotApply(fmt::format(
          "replace operation does not apply: doc is missing key: {}: missing value", path_));
    }
    place.parent->MutableAt(*index) = value;
    return {};
  }

  base::Status Test(const Value& wanted) const {
    const Value* found = Resolve(document_, Tokens(path_));
    const Value have = found == nullptr ? Value() : *found;
    if (have == wanted) return {};
    return DoesNotApply(fmt::format("testing value {} failed: test failed", path_));
  }

  base::Status Transfer(bool remove) {
    const Value* found = Resolve(document_, Tokens(from_));
    const Value value = found == nullptr ? Value() : *found;
    if (remove) {
      COPPICE_TRY(Remove(from_));
    } else {
      copied_ += SizeAsText(value, kMaxCopied).bytes;
      if (copied_ > kMaxCopied) {
        return base::Error(base::ErrorCode::kTooLarge,
                           fmt::format("Unable to complete the copy, the accumulated size increase "
                                       "of copy is {}, exceeding the limit {}",
                                       copied_, kMaxCopied));
      }
    }
    COPPICE_TRY(CheckDepth(value));
    const Place place = FindPlace(document_, path_);
    if (place.parent == nullptr) {
      return DoesNotApply(fmt::format(
          "{} operation does not apply: doc is missing destination path: {}: missing value", op_,
          path_));
    }
    COPPICE_TRY(Touch(ShiftCost(place)));
    return InPath(AddAt(place, value), path_);
  }

  Value document_;
  std::string op_;
  std::string path_;
  std::string from_;
  size_t copied_ = 0;
  size_t touched_ = 0;
};

}  // namespace

base::Result<Value> ApplyJsonPatch(const Value& document, const Value& patch) {
  if (!patch.IsArray()) return base::InvalidArgument("a JSON patch must be a list of operations");
  if (patch.size() > kMaxOperations) {
    return base::Error(base::ErrorCode::kTooLarge,
                       fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                                   kMaxOperations, patch.size()));
  }
  Patcher patcher(document);
  for (const Value& operation : patch.Items()) COPPICE_TRY(patcher.Apply(operation));
  return std::move(patcher).Take();
}

Value CreateJsonPatch(const Value& from, const Value& to) {
  Value patch = Value::Array();
  for (const Member& member : to.Members()) {
    const Value* old = from.Find(member.name());
    if (old && *old == member.value) continue;
    patch.Append(Value::Object({{"op", old ? "replace" : "add"},
                                {"path", "/" + EscapePointer(member.name())},
                                {"value", member.value}}));
  }
  return patch;
}

Value AddOperation(std::string_view path, Value value) {
  return Value::Object({{"op", "add"}, {"path", path}, {"value", std::move(value)}});
}

Value TestOperation(std::string_view path, Value value) {
  return Value::Object({{"op", "test"}, {"path", path}, {"value", std::move(value)}});
}

Value RemoveOperation(std::string_view path) {
  return Value::Object({{"op", "remove"}, {"path", path}});
}

std::string EscapePointer(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace coppice::json
