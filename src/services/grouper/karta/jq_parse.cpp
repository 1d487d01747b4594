#include <fmt/format.h>

#include <cctype>
#include <set>

#include "json/parse.h"
#include "services/grouper/karta/jq_ast.h"

namespace coppice::services::grouper {
namespace {

using Node = Jq::Node;
using NodePtr = std::shared_ptr<const Node>;

constexpr int kMaxDepth = 64;
constexpr size_t kMaxLength = 4096;

const std::set<std::string, std::less<>> kRefused = {"del",     "range", "paths",
                                                     "recurse", "walk",  "repeat"};
const std::set<std::string, std::less<>> kPlain = {
    "length",         "keys",     "not",  "add",  "min",      "max",
    "first",          "last",     "any",  "all",  "tonumber", "empty",
    "values",         "tostring", "type", "sort", "unique",   "to_entries",
    "ascii_downcase", "reverse",  "floor"};
const std::set<std::string, std::less<>> kWithArgument = {
    "map",  "select",   "has",      "startswith", "endswith", "contains", "split",
    "join", "ltrimstr", "rtrimstr", "any",        "all",      "first"};

NodePtr Make(Node::Kind kind, std::vector<NodePtr> children = {}, std::string text = {},
             json::Value value = {}) {
  return std::make_shared<const Node>(
      Node{kind, std::move(text), std::move(value), std::move(children)});
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  base::Result<NodePtr> Parse() {
    if (text_.size() > kMaxLength) return Error("is too long");
    COPPICE_ASSIGN(NodePtr root, Pipe());
    Skip();
    if (at_ != text_.size()) return Error("has something left over");
    return root;
  }

 private:
  using Result = base::Result<NodePtr>;

  base::Error Error(std::string_view what) const {
    return base::InvalidArgument(
        fmt::format("jq expression \"{}\" {} at position {}", text_.substr(0, 80), what, at_));
  }

  void Skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool Peek(std::string_view token) {
    Skip();
    return text_.substr(at_).starts_with(token);
  }
  bool Take(std::string_view token) {
    if (!Peek(token)) return false;
    at_ += token.size();
    return true;
  }
  static bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  std::string_view PeekWord() {
    Skip();
    size_t end = at_;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  bool TakeWord(std::string_view word) {
    if (PeekWord() != word) return false;
    at_ += word.size();
    return true;
  }

  Result Pipe() {
    if (++depth_ > kMaxDepth) return Error("is nested too deeply");
    COPPICE_ASSIGN(NodePtr left, Comma());
    while (!Peek("|=") && Take("|")) {
      COPPICE_ASSIGN(NodePtr right, Comma());
      left = Make(Node::Kind::kPipe, {left, right});
    }
    --depth_;
    return left;
  }

  Result Comma() {
    COPPICE_ASSIGN(NodePtr left, Alternative());
    while (Take(",")) {
      COPPICE_ASSIGN(NodePtr right, Alternative());
      left = Make(Node::Kind::kComma, {left, right});
    }
    return left;
  }

  Result Alternative() {
    COPPICE_ASSIGN(NodePtr left, Or());
    if (!Peek("//=") && Take("//")) {
      COPPICE_ASSIGN(NodePtr right, Alternative());
      return Make(Node::Kind::kAlternative, {left, right});
    }
    return left;
  }

  Result Or() {
    COPPICE_ASSIGN(NodePtr left, And());
    while (TakeWord("or")) {
      COPPICE_ASSIGN(NodePtr right, And());
      left = Make(Node::Kind::kOr, {left, right});
    }
    return left;
  }

  Result And() {
    COPPICE_ASSIGN(NodePtr left, Compare());
    while (TakeWord("and")) {
      COPPICE_ASSIGN(NodePtr right, Compare());
      left = Make(Node::Kind::kAnd, {left, right});
    }
    return left;
  }

  Result Compare() {
    COPPICE_ASSIGN(NodePtr left, Sum());
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"}) {
      if (!Take(op)) continue;
      COPPICE_ASSIGN(NodePtr right, Sum());
      return Make(Node::Kind::kBinary, {left, right}, op);
    }
    if (Peek("=") || Peek("|=") || Peek("//=")) return Error("assigns, which is not allowed");
    return left;
  }

  Result Sum() {
    COPPICE_ASSIGN(NodePtr left, Product());
    while (true) {
      if (Peek("+=") || Peek("-=")) return Error("assigns, which is not allowed");
      const char* op = Take("+") ? "+" : Take("-") ? "-" : nullptr;
      if (!op) return left;
      COPPICE_ASSIGN(NodePtr right, Product());
      left = Make(Node::Kind::kBinary, {left, right}, op);
    }
  }

  Result Product() {
    COPPICE_ASSIGN(NodePtr left, Postfix());
    while (true) {
      if (Peek("*=") || Peek("/=") || Peek("%=")) return Error("assigns, which is not allowed");
      if (Peek("//")) return left;
      const char* op = Take("*") ? "*" : Take("/") ? "/" : Take("%") ? "%" : nullptr;
      if (!op) return left;
      COPPICE_ASSIGN(NodePtr right, Postfix());
      left = Make(Node::Kind::kBinary, {left, right}, op);
    }
  }

  Result Postfix() {
    COPPICE_ASSIGN(NodePtr term, Term());
    while (true) {
      if (Peek("..")) return Error("uses .., which is not allowed");
      if (Take("?")) {
        term = Make(Node::Kind::kOptional, {term});
      } else if (Take("[")) {
        COPPICE_ASSIGN(term, Bracket(term));
      } else if (at_ < text_.size() && text_[at_] == '.') {
        ++at_;
        COPPICE_ASSIGN(term, AfterDot(term));
      } else {
        return term;
      }
    }
  }

  Result Bracket(const NodePtr& of) {
    if (Take("]")) return Make(Node::Kind::kIterate, {of});
    COPPICE_ASSIGN(NodePtr index, Pipe());
    if (!Take("]")) return Error("lacks a ]");
    return Make(Node::Kind::kIndex, {of, index});
  }

  // The dot is taken.
  Result AfterDot(const NodePtr& of) {
    if (at_ < text_.size() && text_[at_] == '[') {
      ++at_;
      return Bracket(of);
    }
    if (at_ < text_.size() && text_[at_] == '"') {
      COPPICE_ASSIGN(const std::string name, String());
      return Make(Node::Kind::kField, {of}, name);
    }
    const std::string_view name = PeekWord();
    if (name.empty()) return Error("lacks a name after the dot");
    at_ += name.size();
    return Make(Node::Kind::kField, {of}, std::string(name));
  }

  base::Result<std::string> String() {
    const size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return Error("has a string without end");
    const auto parsed = json::Parse(text_.substr(start, ++at_ - start));
    if (!parsed) return Error("has a string that cannot be read");
    return parsed->ToString();
  }

  Result Term() {
    Skip();
    if (at_ >= text_.size()) return Error("ends too early");
    const char c = text_[at_];
    if (Peek("..")) return Error("uses .., which is not allowed");
    if (c == '.') return Dot();
    if (c == '"') {
      COPPICE_ASSIGN(const std::string text, String());
      return Make(Node::Kind::kLiteral, {}, "", text);
    }
    if (std::isdigit(static_cast<unsigned char>(c))) return Number();
    if (Take("-")) {
      COPPICE_ASSIGN(NodePtr of, Postfix());
      return Make(Node::Kind::kNegate, {of});
    }
    if (Take("(")) {
      COPPICE_ASSIGN(NodePtr inner, Pipe());
      if (!Take(")")) return Error("lacks a )");
      return inner;
    }
    if (Take("[")) {
      if (Take("]")) return Make(Node::Kind::kLiteral, {}, "", json::Value::Array());
      COPPICE_ASSIGN(NodePtr inner, Pipe());
      if (!Take("]")) return Error("lacks a ]");
      return Make(Node::Kind::kArray, {inner});
    }
    return Word();
  }

  Result Dot() {
    ++at_;
    const bool names =
        at_ < text_.size() && (IsWord(text_[at_]) || text_[at_] == '"' || text_[at_] == '[');
    const NodePtr identity = Make(Node::Kind::kIdentity);
    return names ? AfterDot(identity) : Result(identity);
  }

  Result Number() {
    size_t end = at_;
    while (end < text_.size() &&
           (std::isdigit(static_cast<unsigned char>(text_[end])) || text_[end] == '.'))
      ++end;
    const auto parsed = json::Parse(text_.substr(at_, end - at_));
    if (!parsed) return Error("has a number that cannot be read");
    at_ = end;
    return Make(Node::Kind::kLiteral, {}, "", *parsed);
  }

  Result Word() {
    const std::string word(PeekWord());
    if (word.empty()) return Error("cannot be read");
    if (kRefused.contains(word)) return Error("uses " + word + ", which is not allowed");
    at_ += word.size();
    if (word == "true" || word == "false")
      return Make(Node::Kind::kLiteral, {}, "", word == "true");
    if (word == "null") return Make(Node::Kind::kLiteral);
    if (word == "if") return If();
    if (kWithArgument.contains(word) && Take("(")) {
      COPPICE_ASSIGN(NodePtr argument, Pipe());
      if (!Take(")")) return Error("lacks a )");
      return Make(Node::Kind::kCall, {argument}, word);
    }
    if (!kPlain.contains(word)) return Error("uses " + word + ", which is not known");
    return Make(Node::Kind::kCall, {}, word);
  }

  Result If() {
    COPPICE_ASSIGN(NodePtr condition, Pipe());
    if (!TakeWord("then")) return Error("lacks a then");
    COPPICE_ASSIGN(NodePtr yes, Pipe());
    NodePtr no = Make(Node::Kind::kIdentity);
    if (TakeWord("elif")) {
      COPPICE_ASSIGN(no, If());
      return Make(Node::Kind::kIf, {condition, yes, no});
    }
    if (TakeWord("else")) {
      COPPICE_ASSIGN(no, Pipe());
    }
    if (!TakeWord("end")) return Error("lacks an end");
    return Make(Node::Kind::kIf, {condition, yes, no});
  }

  const std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

base::Result<Jq> Jq::Parse(std::string_view text) {
  COPPICE_ASSIGN(std::shared_ptr<const Node> root, Parser(text).Parse());
  return Jq(std::move(root));
}

}  // namespace coppice::services::grouper
