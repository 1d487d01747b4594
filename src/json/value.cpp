#include "json/value.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <new>

#include "base/check.h"
#include "json/text_size.h"

namespace coppice::json {
namespace {

constexpr size_t kSmallMax = 15;
// Up to this many members looking at each key is faster than a binary search.
constexpr size_t kFewMembers = 16;
const Value kNullValue;

// A value's bytes: equal short strings have equal ones.
struct Words {
  uint64_t first, second;
  bool operator==(const Words&) const = default;
};
Words WordsOf(const Value& value) {
  Words words;
  std::memcpy(&words, &value, sizeof words);
  return words;
}

template <typename Word>
uint64_t Load(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Of the value that holds this text, which is short enough to live in it: looking up a member makes
// no value. The last byte is the tag.
[[gnu::always_inline]] inline Words WordsOf(std::string_view text, uint8_t tag) {
  static_assert(std::endian::native == std::endian::little);
  const char* const from = text.data();
  const size_t size = text.size();
  Words words{0, uint64_t{tag} << 56};
  if (size > 8) {
    words.first = Load<uint64_t>(from);
    words.second |= Load<uint64_t>(from + size - 8) >> (8 * (16 - size));
  } else if (size >= 4) {
    words.first = Load<uint32_t>(from) | Load<uint32_t>(from + size - 4) << (8 * (size - 4));
  } else if (size > 0) {
    const size_t middle = size / 2;
    words.first = Load<uint8_t>(from) | Load<uint8_t>(from + middle) << (8 * middle) |
                  Load<uint8_t>(from + size - 1) << (8 * (size - 1));
  }
  return words;
}

[[gnu::always_inline]] inline Words ShortKey(std::string_view text) {
  return WordsOf(text, static_cast<uint8_t>(0x80 | text.size()));
}

bool IsShort(const Words& words) { return static_cast<int64_t>(words.second) < 0; }

// By text: what is short is filled up with zeros, and its length, in the tag, comes last.
bool ShortLess(const Words& a, const Words& b) {
  if (a.first != b.first) return __builtin_bswap64(a.first) < __builtin_bswap64(b.first);
  return __builtin_bswap64(a.second) < __builtin_bswap64(b.second);
}

bool KeyLess(const Member& a, const Member& b) {
  const Words left = WordsOf(a.key), right = WordsOf(b.key);
  return IsShort(left) && IsShort(right) ? ShortLess(left, right) : a.name() < b.name();
}

bool SameKey(const Member& a, const Member& b) {
  const Words left = WordsOf(a.key), right = WordsOf(b.key);
  if (left == right) return true;
  return !IsShort(left) && !IsShort(right) && a.name() == b.name();
}

}  // namespace

struct Value::StringRep {
  std::atomic<uint32_t> refs;
  uint32_t size;

  char* text() { return reinterpret_cast<char*>(this + 1); }

  static StringRep* Make(std::string_view text) {
    void* memory = std::malloc(sizeof(StringRep) + text.size());
    COPPICE_CHECK(memory != nullptr && text.size() <= UINT32_MAX);
    auto* rep = new (memory) StringRep{{1}, static_cast<uint32_t>(text.size())};
    std::memcpy(rep->text(), text.data(), text.size());
    return rep;
  }
};

struct Value::ArrayRep {
  std::atomic<uint32_t> refs{1};
  std::vector<Value> items;
};

struct Value::ObjectRep {
  std::atomic<uint32_t> refs{1};
  std::vector<Member> members;

  // The first member whose key is not less than `key`.
  std::vector<Member>::iterator LowerBound(std::string_view key) {
    if (key.size() > kSmallMax) {
      return std::lower_bound(
          members.begin(), members.end(), key,
          [](const Member& member, std::string_view text) { return member.name() < text; });
    }
    return std::lower_bound(members.begin(), members.end(), ShortKey(key),
                            [key](const Member& member, const Words& wanted) {
                              const Words words = WordsOf(member.key);
                              return IsShort(words) ? ShortLess(words, wanted)
                                                    : member.name() < key;
                            });
  }
  // Null when there is no such member.
  Member* Find(std::string_view key) {
    if (members.size() > kFewMembers) return FindAmongMany(key);
    if (key.size() > kSmallMax) return FindLong(key);
    const Words wanted = ShortKey(key);
    for (Member *at = members.data(), *end = at + members.size(); at != end; ++at) {
      if (WordsOf(at->key) == wanted) return at;
    }
    return nullptr;
  }
  [[gnu::noinline]] Member* FindLong(std::string_view key) {
    for (Member& member : members) {
      const std::string_view name = member.name();
      if (name.size() == key.size() && std::memcmp(name.data(), key.data(), key.size()) == 0) {
        return &member;
      }
    }
    return nullptr;
  }
  [[gnu::noinline]] Member* FindAmongMany(std::string_view key) {
    const auto it = LowerBound(key);
    return it != members.end() && it->name() == key ? &*it : nullptr;
  }
  // Not shared with other values.
  bool IsOwn() const { return this != Empty() && refs.load(std::memory_order_acquire) == 1; }
  // The members are in order already, so this does without Object's checks.
  ObjectRep* Copy(size_t room) const {
    auto* copy = new ObjectRep;
    copy->members.reserve(members.size() + room);
    copy->members.insert(copy->members.end(), members.begin(), members.end());
    return copy;
  }
  // A place for a new member, without twice the room that is needed. The key may be text of another
  // member, which moves when room is made.
  Value& Insert(std::string_view key) {
    Member fresh{Value(key), Value()};
    const ptrdiff_t place = LowerBound(key) - members.begin();
    if (members.size() == members.capacity()) members.reserve(members.size() * 3 / 2 + 1);
    return members.insert(members.begin() + place, std::move(fresh))->value;
  }

  // Shared by all empty objects, of which managedFields are full; neither reference-counted nor
  // destroyed.
  union Immortal;
  static Immortal empty;
  static ObjectRep* Empty();
};

union Value::ObjectRep::Immortal {
  constexpr Immortal() : rep{} {}
  ~Immortal() {}
  ObjectRep rep;
};
constinit Value::ObjectRep::Immortal Value::ObjectRep::empty;
Value::ObjectRep* Value::ObjectRep::Empty() { return &empty.rep; }

Value::Value(std::string_view text) {
  if (text.size() <= kSmallMax) {
    // An empty view may point nowhere, which memcpy does not allow.
    if (!text.empty()) std::memcpy(data_, text.data(), text.size());
    tag_ = static_cast<uint8_t>(Tag::kSmallString | text.size());
    return;
  }
  StorePointer(StringRep::Make(text));
  tag_ = Tag::kHeapString;
}

Value Value::Array() { return Array(std::vector<Value>()); }

Value Value::Array(std::initializer_list<Value> items) { return Array(std::vector<Value>(items)); }

Value Value::Array(std::vector<Value> items) {
  Value out;
  auto* rep = new ArrayRep;
  rep->items = std::move(items);
  out.StorePointer(rep);
  out.tag_ = Tag::kArray;
  return out;
}

Value Value::Object() {
  Value out;
  out.StorePointer(ObjectRep::Empty());
  out.tag_ = Tag::kObject;
  return out;
}

Value Value::Object(std::initializer_list<std::pair<std::string_view, Value>> members) {
  std::vector<Member> list;
  list.reserve(members.size());
  for (const auto& [key, value] : members) list.push_back({Value(key), value});
  return Object(std::move(list));
}

namespace {

constexpr size_t kFewToSort = 16;

// Members of equal name stay in their order. Most objects are small, and written down almost in
// order: moving the few that are not costs less than a sort that asks for memory.
void SortByName(std::vector<Member>& members) {
  if (members.size() > kFewToSort) {
    if (std::is_sorted(members.begin(), members.end(), KeyLess)) return;
    return std::stable_sort(members.begin(), members.end(), KeyLess);
  }
  for (size_t i = 1; i < members.size(); ++i) {
    if (!KeyLess(members[i], members[i - 1])) continue;
    Member late = std::move(members[i]);
    size_t place = i;
    for (; place > 0 && KeyLess(late, members[place - 1]); --place) {
      members[place] = std::move(members[place - 1]);
    }
    members[place] = std::move(late);
  }
}

}  // namespace

Value Value::Object(std::vector<Member> members) {
  if (members.empty()) return Object();
  SortByName(members);
  // Of equal keys the last stays, which is the first from behind.
  const auto unique = std::unique(members.rbegin(), members.rend(), SameKey);
  members.erase(members.begin(), unique.base());
  Value out;
  auto* rep = new ObjectRep;
  rep->members = std::move(members);
  out.StorePointer(rep);
  out.tag_ = Tag::kObject;
  return out;
}

Value::Value(const Value& other) : tag_(other.tag_) {
  std::memcpy(data_, other.data_, sizeof data_);
  Retain();
}

Value::Value(Value&& other) noexcept : tag_(other.tag_) {
  std::memcpy(data_, other.data_, sizeof data_);
  other.tag_ = Tag::kNull;
  std::memset(other.data_, 0, sizeof other.data_);
}

Value& Value::operator=(const Value& other) {
  if (this == &other) return *this;
  Value copy(other);  // First, because `other` may live inside what this releases.
  return *this = std::move(copy);
}

Value& Value::operator=(Value&& other) noexcept {
  if (this == &other) return *this;
  const Value old(std::move(*this));  // Released last, because `other` may live inside it.
  std::memcpy(data_, other.data_, sizeof data_);
  tag_ = std::exchange(other.tag_, Tag::kNull);
  std::memset(other.data_, 0, sizeof other.data_);
  return *this;
}

Value::~Value() {
  if (tag_ == Tag::kHeapString || tag_ == Tag::kArray || tag_ == Tag::kObject) Release();
}

void Value::Retain() const {
  switch (tag_) {
    case Tag::kHeapString:
      As<StringRep>()->refs.fetch_add(1, std::memory_order_relaxed);
      break;
    case Tag::kArray:
      As<ArrayRep>()->refs.fetch_add(1, std::memory_order_relaxed);
      break;
    case Tag::kObject:
      if (As<ObjectRep>() == ObjectRep::Empty()) break;
      As<ObjectRep>()->refs.fetch_add(1, std::memory_order_relaxed);
      break;
    default:
      break;
  }
}

void Value::Release() {
  // Who is alone needs no locked instruction to know it.
  const auto last = [](std::atomic<uint32_t>& refs) {
    return refs.load(std::memory_order_acquire) == 1 ||
           refs.fetch_sub(1, std::memory_order_acq_rel) == 1;
  };
  switch (tag_) {
    case Tag::kHeapString:
      if (last(As<StringRep>()->refs)) std::free(As<StringRep>());
      break;
    case Tag::kArray:
      if (last(As<ArrayRep>()->refs)) delete As<ArrayRep>();
      break;
    case Tag::kObject:
      if (As<ObjectRep>() == ObjectRep::Empty()) break;
      if (last(As<ObjectRep>()->refs)) delete As<ObjectRep>();
      break;
    default:
      break;
  }
  tag_ = Tag::kNull;
  std::memset(data_, 0, sizeof data_);
}

Type Value::type() const {
  if (IsSmall()) return Type::kString;
  return static_cast<Type>(tag_);
}

int64_t Value::AsInt(int64_t fallback) const {
  if (tag_ == Tag::kInt) return Load();
  if (tag_ == Tag::kDouble) {
    const double d = AsDouble();
    if (std::trunc(d) == d && std::abs(d) < 9.2e18) return static_cast<int64_t>(d);
  }
  return fallback;
}

double Value::AsDouble(double fallback) const {
  if (tag_ == Tag::kInt) return static_cast<double>(Load());
  if (tag_ != Tag::kDouble) return fallback;
  double d;
  std::memcpy(&d, data_, sizeof d);
  return d;
}

std::string_view Value::AsString(std::string_view fallback) const {
  if (IsSmall()) return {data_, static_cast<size_t>(tag_ & 0x0f)};
  if (tag_ == Tag::kHeapString) return {As<StringRep>()->text(), As<StringRep>()->size};
  return fallback;
}

const Value* Value::Find(std::string_view key) const {
  if (tag_ != Tag::kObject) return nullptr;
  const Member* found = As<ObjectRep>()->Find(key);
  return found ? &found->value : nullptr;
}

const Value& Value::operator[](std::string_view key) const {
  if (tag_ != Tag::kObject) return kNullValue;
  const Member* found = As<ObjectRep>()->Find(key);
  return found ? found->value : kNullValue;
}

const Value& Value::At(size_t index) const {
  const auto items = Items();
  return index < items.size() ? items[index] : kNullValue;
}

size_t Value::size() const {
  if (tag_ == Tag::kArray) return As<ArrayRep>()->items.size();
  if (tag_ == Tag::kObject) return As<ObjectRep>()->members.size();
  return 0;
}

std::span<const Value> Value::Items() const {
  if (tag_ != Tag::kArray) return {};
  return As<ArrayRep>()->items;
}

std::span<const Member> Value::Members() const {
  if (tag_ != Tag::kObject) return {};
  return As<ObjectRep>()->members;
}

Value::ObjectRep& Value::OwnObject() {
  if (tag_ != Tag::kObject) *this = Object();
  if (As<ObjectRep>()->IsOwn()) return *As<ObjectRep>();
  Value split;
  split.StorePointer(As<ObjectRep>()->Copy(0));
  split.tag_ = Tag::kObject;
  *this = std::move(split);
  return *As<ObjectRep>();
}

Value::ArrayRep& Value::OwnArray() {
  if (tag_ != Tag::kArray) *this = Array();
  ArrayRep* rep = As<ArrayRep>();
  if (rep->refs.load(std::memory_order_acquire) == 1) return *rep;
  Value split = Array(rep->items);
  *this = std::move(split);
  return *As<ArrayRep>();
}

Value& Value::Mutable(std::string_view key) {
  if (tag_ != Tag::kObject) *this = Object();
  ObjectRep* rep = As<ObjectRep>();
  const Member* found = rep->Find(key);
  const ptrdiff_t place = found ? found - rep->members.data() : 0;
  if (!rep->IsOwn()) {
    Value split;
    split.StorePointer(rep->Copy(found ? 0 : 1));
    split.tag_ = Tag::kObject;
    *this = std::move(split);
    rep = As<ObjectRep>();
  }
  return found ? rep->members[static_cast<size_t>(place)].value : rep->Insert(key);
}

Value& Value::Set(std::string_view key, Value value) {
  Mutable(key) = std::move(value);
  return *this;
}

Value& Value::SetDefault(std::string_view key, Value value) {
  return Has(key) ? *this : Set(key, std::move(value));
}

Value* Value::FindMutable(std::string_view key) {
  return Has(key) ? &OwnObject().Find(key)->value : nullptr;
}

bool Value::Erase(std::string_view key) {
  if (!Has(key)) return false;
  std::vector<Member>& members = OwnObject().members;
  members.erase(members.begin() + (As<ObjectRep>()->Find(key) - members.data()));
  return true;
}

Value& Value::Append(Value item) {
  OwnArray().items.push_back(std::move(item));
  return *this;
}

Value& Value::MutableAt(size_t index) {
  ArrayRep& rep = OwnArray();
  COPPICE_CHECK(index < rep.items.size());
  return rep.items[index];
}

std::vector<Value>& Value::MutableItems() { return OwnArray().items; }

std::vector<Member>& Value::MutableMembers() { return OwnObject().members; }

bool operator==(const Value& a, const Value& b) {
  if (a.SameAs(b)) return true;
  if (a.IsNumber() && b.IsNumber()) {
    return a.IsInt() && b.IsInt() ? a.Load() == b.Load() : a.AsDouble() == b.AsDouble();
  }
  if (a.type() != b.type()) return false;
  if (a.IsString()) return a.AsString() == b.AsString();
  if (a.IsArray()) return std::ranges::equal(a.Items(), b.Items());
  if (a.IsObject()) {
    return std::ranges::equal(a.Members(), b.Members(), [](const Member& x, const Member& y) {
      return SameKey(x, y) && x.value == y.value;
    });
  }
  return a.type() == Type::kNull;
}

namespace {

// Defined here because every write of the store measures an object: the compiler sees what reading
// a value takes.
class TextMeter {
 public:
  explicit TextMeter(size_t max_bytes) : max_bytes_(max_bytes) {}

  const TextSize& size() const { return size_; }

  void Add(const Value& value, size_t depth) {
    if (value.IsString()) {
      size_.bytes += value.AsString().size() + 2;
    } else {
      size_.bytes += 4;
      if (value.IsObject()) AddMembers(value.Members(), depth + 1);
      if (value.IsArray()) AddItems(value.Items(), depth + 1);
    }
    size_.depth = std::max(size_.depth, depth);
  }
  void Remove(const Value& value) {
    TextMeter meter(SIZE_MAX);
    meter.Add(value, 1);
    removed_ += meter.size_.bytes;
  }
  void Replace(const Value& before, const Value& value, size_t depth) {
    if (before.SameAs(value)) return;
    if (before.IsObject() && value.IsObject()) {
      return ReplaceMembers(before.Members(), value.Members(), depth + 1);
    }
    if (before.IsArray() && value.IsArray()) {
      return ReplaceItems(before.Items(), value.Items(), depth + 1);
    }
    Remove(before);
    Add(value, depth);
  }
  size_t removed() const { return removed_; }

 private:
  void ReplaceMembers(std::span<const Member> before, std::span<const Member> now, size_t depth) {
    auto old = before.begin();
    for (const Member& member : now) {
      for (; old != before.end() && KeyLess(*old, member); ++old) RemoveMember(*old);
      if (old != before.end() && SameKey(*old, member)) {
        Replace((old++)->value, member.value, depth);
      } else {
        AddMembers({&member, 1}, depth);
      }
    }
    for (; old != before.end(); ++old) RemoveMember(*old);
  }
  void RemoveMember(const Member& member) {
    removed_ += member.name().size() + 4;
    Remove(member.value);
  }
  void ReplaceItems(std::span<const Value> before, std::span<const Value> now, size_t depth) {
    const size_t both = std::min(before.size(), now.size());
    for (size_t i = 0; i < both; ++i) Replace(before[i], now[i], depth);
    for (const Value& item : before.subspan(both)) Remove(item);
    AddItems(now.subspan(both), depth);
  }
  void AddMembers(std::span<const Member> members, size_t depth) {
    for (const Member& member : members) {
      size_.bytes += member.name().size() + 4;
      if (size_.bytes > max_bytes_) return;
      Add(member.value, depth);
    }
  }
  void AddItems(std::span<const Value> items, size_t depth) {
    for (const Value& item : items) {
      if (size_.bytes > max_bytes_) return;
      Add(item, depth);
    }
  }

  const size_t max_bytes_;
  TextSize size_;
  size_t removed_ = 0;
};

}  // namespace

TextSize SizeAsText(const Value& value, size_t max_bytes) {
  TextMeter meter(max_bytes);
  meter.Add(value, 1);
  return meter.size();
}

TextSize SizeAsText(const Value& value, const Value& before, size_t before_bytes,
                    size_t max_bytes) {
  TextMeter meter(max_bytes);
  meter.Replace(before, value, 1);
  TextSize size = meter.size();
  if (size.bytes > max_bytes) return SizeAsText(value, max_bytes);
  size.bytes += before_bytes - std::min(before_bytes, meter.removed());
  return size;
}

}  // namespace coppice::json
