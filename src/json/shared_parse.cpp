#include "json/shared_parse.h"

#include <simdjson.h>

#include <algorithm>
#include <memory>

#include "json/parse.h"

namespace coppice::json {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr int kMaxDepth = 512;
constexpr size_t kInlineString = 15;
// Larger parts are remembered only when they come for the second time: most never do.
constexpr size_t kLargePart = 512;
constexpr int kUniqueLevels = 2;
constexpr size_t kExactDigits = 17;

uint64_t Load(const char* at, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, at, size);
  return word;
}

uint64_t Fold(uint64_t a, uint64_t b) {
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// The text with the room behind it that the parser wants.
class PaddedText {
 public:
  std::string_view Set(std::string_view text) {
    const size_t needed = text.size() + simdjson::SIMDJSON_PADDING;
    if (capacity_ < needed) {
      capacity_ = std::max<size_t>(needed, 64 << 10);
      buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    std::copy(text.begin(), text.end(), buffer_.get());
    std::memset(buffer_.get() + text.size(), 0, simdjson::SIMDJSON_PADDING);
    return {buffer_.get(), text.size()};
  }

 private:
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
};

// What parsing needs beside the result, kept per thread; not after a page of a list, which needs
// ten times what the events after it need.
struct Scratch {
  static constexpr size_t kKeptUpTo = 256 << 10;

  PaddedText text;
  ondemand::parser parser;
};

// Builds values from the text in one pass. The first problem ends it: the caller then asks the
// other parser, which says what is wrong.
class SharedBuilder {
 public:
  SharedBuilder(PartPool& pool, const SharedParseOptions& options)
      : pool_(pool), options_(options), share_from_(options.root_depth + kUniqueLevels) {}

  bool Build(ondemand::document& document, Value& out) {
    ondemand::value root;
    if (document.get_value().get(root)) return false;
    // Nothing may follow.
    return BuildValue(root, 0, out) &&
           document.current_location().error() == simdjson::OUT_OF_BOUNDS;
  }

 private:
  bool BuildValue(ondemand::value value, int depth, Value& out) {
    ondemand::json_type type;
    if (depth > kMaxDepth || value.type().get(type)) return false;
    switch (type) {
      case ondemand::json_type::array: {
        ondemand::array array;
        return !value.get_array().get(array) && BuildPart(array, depth, out);
      }
      case ondemand::json_type::object: {
        ondemand::object object;
        return !value.get_object().get(object) && BuildPart(object, depth, out);
      }
      case ondemand::json_type::number:
        return BuildNumber(value, out);
      case ondemand::json_type::string: {
        std::string_view text;
        if (value.get_string().get(text)) return false;
        out = pool_.String(text);
        return true;
      }
      case ondemand::json_type::boolean: {
        bool flag;
        if (value.get_bool().get(flag)) return false;
        out = Value(flag);
        return true;
      }
      case ondemand::json_type::null: {
        bool null = false;
        return !value.is_null().get(null) && null;
      }
    }
    return false;
  }

  static bool BuildNumber(ondemand::value value, Value& out) {
    // Of very long fractions the two parsers make different last bits.
    const bool long_text = value.raw_json_token().size() > kExactDigits;
    ondemand::number number;
    if (value.get_number().get(number)) return false;
    switch (number.get_number_type()) {
      case ondemand::number_type::signed_integer:
        out = Value(number.get_int64());
        return true;
      case ondemand::number_type::unsigned_integer:
        out = Value(static_cast<double>(number.get_uint64()));
        return true;
      case ondemand::number_type::floating_point_number:
        out = Value(number.get_double());
        return !long_text;
    }
    return false;
  }

  // An array or an object: what the pool knows, or else built and remembered.
  template <typename Container>
  bool BuildPart(Container& container, int depth, Value& out) {
    if (depth < share_from_) return BuildInside(container, depth, out);
    std::string_view text;
    if (container.raw_json().get(text)) return false;
    const uint64_t hash = PartPool::HashOf(text);
    if (const Value* known = pool_.Find(text, hash)) {
      out = *known;
      return true;
    }
    if (container.reset().error()) return false;
    if (!BuildInside(container, depth, out)) return false;
    pool_.Remember(text, hash, out);
    return true;
  }

  bool BuildInside(ondemand::array& array, int depth, Value& out) {
    const size_t first = items_.size();
    for (auto item : array) {
      ondemand::value value;
      Value built;
      if (item.get(value) || !BuildValue(value, depth + 1, built)) return false;
      items_.push_back(std::move(built));
    }
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(first);
    out = Value::Array(
        std::vector<Value>(std::make_move_iterator(begin), std::make_move_iterator(items_.end())));
    items_.resize(first);
    return true;
  }

  bool BuildInside(ondemand::object& object, int depth, Value& out) {
    const size_t first = members_.size();
    for (auto field : object) {
      std::string_view key;
      if (field.unescaped_key().get(key)) return false;
      if (options_.drop_managed_fields && key == "managedFields") continue;
      Member member{pool_.String(key), {}};
      if (!BuildValue(field.value(), depth + 1, member.value)) return false;
      members_.push_back(std::move(member));
    }
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(first);
    out = Value::Object(std::vector<Member>(std::make_move_iterator(begin),
                                            std::make_move_iterator(members_.end())));
    members_.resize(first);
    return true;
  }

  PartPool& pool_;
  const SharedParseOptions& options_;
  const int share_from_;
  // Stacks of what is being built, so that every list is allocated once, at its size.
  std::vector<Value> items_;
  std::vector<Member> members_;
};

}  // namespace

PartPool::PartPool(size_t slots) : parts_(slots), strings_(slots / 4), seen_(slots) {}

uint64_t PartPool::HashOf(std::string_view text) {
  constexpr uint64_t kFirst = 0x9E3779B97F4A7C15ull, kSecond = 0xD1B54A32D192ED03ull;
  uint64_t hash = Fold(text.size() ^ kFirst, kSecond);
  const char* at = text.data();
  size_t left = text.size();
  for (; left > 16; left -= 16, at += 16) {
    hash = Fold(Load(at, 8) ^ kFirst ^ hash, Load(at + 8, 8) ^ kSecond);
  }
  const size_t head = std::min<size_t>(left, 8);
  hash = Fold(Load(at, head) ^ kFirst ^ hash, Load(at + head, left - head) ^ kSecond);
  return hash | 1;  // Never that of an empty slot.
}

const Value* PartPool::Find(std::string_view text, uint64_t hash) const {
  const Slot& slot = parts_[(hash >> 1) & (parts_.size() - 1)];
  return slot.hash == hash && slot.text == text ? &slot.value : nullptr;
}

void PartPool::Remember(std::string_view text, uint64_t hash, const Value& value) {
  if (text.size() > kLargePart && !SeenBefore(hash)) return;
  Slot& slot = parts_[(hash >> 1) & (parts_.size() - 1)];
  slot.hash = hash;
  slot.text = text;
  slot.value = value;
}

bool PartPool::SeenBefore(uint64_t hash) {
  uint64_t& seen = seen_[(hash >> 1) & (seen_.size() - 1)];
  return std::exchange(seen, hash) == hash;
}

Value PartPool::String(std::string_view text) {
  if (text.size() <= kInlineString) return Value(text);
  const uint64_t hash = HashOf(text);
  Slot& slot = strings_[(hash >> 1) & (strings_.size() - 1)];
  if (slot.hash != hash || slot.value.AsString() != text) {
    slot.hash = hash;
    slot.value = Value(text);
  }
  return slot.value;
}

base::Result<Value> ParseShared(std::string_view text, PartPool& pool,
                                const SharedParseOptions& options) {
  thread_local Scratch scratch;
  const std::string_view padded = scratch.text.Set(text);
  ondemand::document document;
  Value out;
  const bool read =
      !scratch.parser.iterate(padded, padded.size() + simdjson::SIMDJSON_PADDING).get(document) &&
      SharedBuilder(pool, options).Build(document, out);
  if (text.size() > Scratch::kKeptUpTo) scratch = Scratch();
  if (read) return out;
  return Parse(text, {.drop_managed_fields = options.drop_managed_fields});
}

}  // namespace coppice::json
