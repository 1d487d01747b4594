#include "cel/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace coppice::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    out += static_cast<char>(0x80 | (code >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (code >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (code & 0x3f));
  }
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  base::Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    for (;;) {
      SkipBlanks();
      if (at_ >= source_.size()) break;
      COPPICE_ASSIGN(Token token, Next());
      tokens.push_back(std::move(token));
    }
    tokens.push_back({.offset = source_.size()});
    return tokens;
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  base::Error Fail(std::string_view problem) const {
    return base::InvalidArgument(
        fmt::format("{}: Syntax error: {}", PlaceOf(source_, at_), problem));
  }

  void SkipBlanks() {
    while (at_ < source_.size()) {
      if (std::string_view(" \t\r\n\f").find(source_[at_]) != std::string_view::npos) {
        ++at_;
      } else if (source_.substr(at_, 2) == "//") {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else {
        return;
      }
    }
  }

  base::Result<Token> Next() {
    const char c = Peek();
    if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) return Number();
    if (StartsString()) return String();
    if (IsLetter(c)) return Word();
    if (c == '`') return Quoted();
    return Symbol();
  }

  bool StartsString() const {
    size_t ahead = 0;
    while (ahead < 2 && std::string_view("rRbB").find(Peek(ahead)) != std::string_view::npos &&
           Peek(ahead) != '\0') {
      ++ahead;
    }
    return Peek(ahead) == '"' || Peek(ahead) == '\'';
  }

  Token Word() {
    const size_t start = at_;
    while (IsLetter(Peek()) || IsDigit(Peek())) ++at_;
    const std::string_view text = source_.substr(start, at_ - start);
    if (text == "true" || text == "false") {
      return {TokenKind::kLiteral, std::string(text), Value(text == "true"), start};
    }
    if (text == "null") return {TokenKind::kLiteral, std::string(text), Value(), start};
    if (text == "in") return {TokenKind::kSymbol, "in", {}, start};
    return {TokenKind::kIdentifier, std::string(text), {}, start};
  }

  base::Result<Token> Quoted() {
    const size_t end = source_.find('`', at_ + 1);
    if (end == std::string_view::npos) return Fail("unterminated quoted identifier");
    Token token{
        TokenKind::kQuotedIdentifier, std::string(source_.substr(at_ + 1, end - at_ - 1)), {}, at_};
    at_ = end + 1;
    return token;
  }

  base::Result<Token> Symbol() {
    static constexpr std::string_view kTwo[] = {"&&", "||", "==", "!=", "<=", ">="};
    const std::string_view two = source_.substr(at_, 2);
    const bool double_symbol = std::ranges::find(kTwo, two) != std::end(kTwo);
    if (!double_symbol &&
        std::string_view("+-*/%<>!?:.,()[]{}").find(Peek()) == std::string_view::npos) {
      return Fail(fmt::format("token recognition error at: '{}'", Peek()));
    }
    Token token{
        TokenKind::kSymbol, std::string(source_.substr(at_, double_symbol ? 2 : 1)), {}, at_};
    at_ += token.text.size();
    return token;
  }

  base::Result<Token> Number() {
    const size_t start = at_;
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X')) return Hex(start);
    while (IsDigit(Peek())) ++at_;
    bool is_double = false;
    if (Peek() == '.' && IsDigit(Peek(1))) {
      is_double = true;
      ++at_;
      while (IsDigit(Peek())) ++at_;
    }
    if (Peek() == 'e' || Peek() == 'E') {
      const size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
      if (IsDigit(Peek(1 + sign))) {
        is_double = true;
        at_ += 1 + sign;
        while (IsDigit(Peek())) ++at_;
      }
    }
    const std::string_view text = source_.substr(start, at_ - start);
    if (!is_double) return Integer(start, text, 10);
    double value = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc()) {
      return Fail("invalid double literal");
    }
    return Token{TokenKind::kLiteral, std::string(text), value, start};
  }

  base::Result<Token> Hex(size_t start) {
    at_ += 2;
    while (std::isxdigit(static_cast<unsigned char>(Peek()))) ++at_;
    return Integer(start, source_.substr(start + 2, at_ - start - 2), 16);
  }

  base::Result<Token> Integer(size_t start, std::string_view digits, int base) {
    uint64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    if (result.ec != std::errc()) return Fail("invalid int literal");
    if (Peek() == 'u' || Peek() == 'U') {
      ++at_;
      return Token{TokenKind::kLiteral, std::string(digits), Value(value), start};
    }
    // One beyond the greatest is for the parser, which knows about a minus sign in front.
    if (value > uint64_t{1} << 63) return Fail("invalid int literal");
    return Token{TokenKind::kLiteral, value >> 63 != 0 ? "-" : "",
                 Value(static_cast<int64_t>(value)), start};
  }

  base::Result<Token> String() {
    const size_t start = at_;
    bool raw = false;
    bool bytes = false;
    while (Peek() != '"' && Peek() != '\'') {
      raw = raw || Peek() == 'r' || Peek() == 'R';
      bytes = bytes || Peek() == 'b' || Peek() == 'B';
      ++at_;
    }
    const std::string triple(3, Peek());
    const bool long_form = source_.substr(at_, 3) == triple;
    const std::string quote = long_form ? triple : triple.substr(0, 1);
    at_ += quote.size();
    std::string out;
    while (source_.substr(at_, quote.size()) != quote) {
      if (at_ >= source_.size() || (!long_form && Peek() == '\n')) {
        return Fail("unterminated string");
      }
      if (Peek() == '\\' && !raw) {
        COPPICE_TRY(Escape(bytes, out));
      } else {
        out += Peek();
        ++at_;
      }
    }
    at_ += quote.size();
    Value value = bytes ? Value(Value::Bytes{std::move(out)}) : Value(std::move(out));
    return Token{TokenKind::kLiteral, "", std::move(value), start};
  }

  base::Status Escape(bool bytes, std::string& out) {
    const char c = Peek(1);
    static constexpr std::string_view kFrom = "abfnrtv\\?\"'`";
    static constexpr std::string_view kTo = "\a\b\f\n\r\t\v\\?\"'`";
    if (const size_t simple = kFrom.find(c); c != '\0' && simple != std::string_view::npos) {
      out += kTo[simple];
      at_ += 2;
      return {};
    }
    if (c == 'x' || c == 'X') return CodePoint(2, 2, 16, bytes, out);
    if (c == 'u' && !bytes) return CodePoint(2, 4, 16, false, out);
    if (c == 'U' && !bytes) return CodePoint(2, 8, 16, false, out);
    if (c >= '0' && c <= '3') return CodePoint(1, 3, 8, bytes, out);
    return Fail("invalid escape sequence");
  }

  base::Status CodePoint(size_t skip, size_t digits, int base, bool bytes, std::string& out) {
    const std::string_view text = source_.substr(std::min(at_ + skip, source_.size()), digits);
    uint32_t code = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code, base);
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    if (text.size() != digits || error != std::errc() || end != text.data() + text.size() ||
        code > 0x10ffff || surrogate) {
      return Fail("invalid escape sequence");
    }
    if (bytes) {
      out += static_cast<char>(code);
    } else {
      AppendUtf8(code, out);
    }
    at_ += skip + digits;
    return {};
  }

  std::string_view source_;
  size_t at_ = 0;
};

}  // namespace

base::Result<std::vector<Token>> Tokenize(std::string_view source) { return Lexer(source).Run(); }

std::string PlaceOf(std::string_view source, size_t offset) {
  const std::string_view before = source.substr(0, offset);
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t last = before.rfind('\n');
  const size_t column = last == std::string_view::npos ? before.size() : before.size() - last - 1;
  return fmt::format("{}:{}", line, column + 1);
}

}  // namespace coppice::cel
