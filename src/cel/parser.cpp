#include "cel/parser.h"

#include <fmt/format.h>

#include <algorithm>

#include "cel/lexer.h"

namespace coppice::cel {
namespace {

using NodeResult = base::Result<NodePtr>;

constexpr std::string_view kReserved[] = {
    "as",  "break", "const",   "continue",  "else",   "for", "function", "if",   "import",
    "let", "loop",  "package", "namespace", "return", "var", "void",     "while"};

NodePtr MakeNode(NodeKind kind, size_t offset) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->offset = offset;
  return node;
}

class Parser {
 public:
  Parser(std::string_view source, std::vector<Token> tokens)
      : source_(source), tokens_(std::move(tokens)) {}

  NodeResult Parse() {
    COPPICE_ASSIGN(NodePtr node, Expression());
    if (Current().kind != TokenKind::kEnd) return Unexpected();
    return node;
  }

 private:
  const Token& Current() const { return tokens_[at_]; }
  bool At(std::string_view symbol) const {
    return Current().kind == TokenKind::kSymbol && Current().text == symbol;
  }
  bool Take(std::string_view symbol) {
    if (!At(symbol)) return false;
    ++at_;
    return true;
  }

  base::Error Fail(size_t offset, std::string_view problem) const {
    return base::InvalidArgument(fmt::format("{}: {}", PlaceOf(source_, offset), problem));
  }

  base::Error Unexpected() const {
    const Token& token = Current();
    const bool end = token.kind == TokenKind::kEnd;
    return Fail(token.offset, end ? std::string("Syntax error: unexpected end of expression")
                                  : fmt::format("Syntax error: unexpected '{}'", token.text));
  }

  base::Status Expect(std::string_view symbol) {
    if (Take(symbol)) return {};
    return Unexpected();
  }

  // Adds a child, keeping track of how deep the tree is.
  base::Status Adopt(Node& parent, NodePtr child) {
    parent.depth = std::max(parent.depth, child->depth + 1);
    if (parent.depth > kMaxDepth) return Fail(parent.offset, "expression nests too deeply");
    parent.children.push_back(std::move(child));
    return {};
  }

  NodeResult Expression() {
    if (++open_ > kMaxDepth) return Fail(Current().offset, "expression nests too deeply");
    NodeResult node = Conditional();
    --open_;
    return node;
  }

  NodeResult Conditional() {
    COPPICE_ASSIGN(NodePtr condition, Chain(NodeKind::kOr));
    const size_t offset = Current().offset;
    if (!Take("?")) return condition;
    NodePtr node = MakeNode(NodeKind::kConditional, offset);
    COPPICE_TRY(Adopt(*node, std::move(condition)));
    COPPICE_ASSIGN(NodePtr yes, Chain(NodeKind::kOr));
    COPPICE_TRY(Adopt(*node, std::move(yes)));
    COPPICE_TRY(Expect(":"));
    COPPICE_ASSIGN(NodePtr no, Expression());
    COPPICE_TRY(Adopt(*node, std::move(no)));
    return node;
  }

  // a || b || c and a && b && c, as one node each.
  NodeResult Chain(NodeKind kind) {
    const std::string_view symbol = kind == NodeKind::kOr ? "||" : "&&";
    const auto operand = [&] { return kind == NodeKind::kOr ? Chain(NodeKind::kAnd) : Relation(); };
    COPPICE_ASSIGN(NodePtr first, operand());
    if (!At(symbol)) return first;
    NodePtr node = MakeNode(kind, Current().offset);
    COPPICE_TRY(Adopt(*node, std::move(first)));
    while (Take(symbol)) {
      COPPICE_ASSIGN(NodePtr next, operand());
      COPPICE_TRY(Adopt(*node, std::move(next)));
    }
    return node;
  }

  NodeResult Relation() {
    return LeftAssociative({"==", "!=", "<", "<=", ">", ">=", "in"}, [&] { return Sum(); });
  }
  NodeResult Sum() {
    return LeftAssociative({"+", "-"}, [&] { return Product(); });
  }
  NodeResult Product() {
    return LeftAssociative({"*", "/", "%"}, [&] { return Unary(); });
  }

  template <typename Operand>
  NodeResult LeftAssociative(std::initializer_list<std::string_view> symbols, Operand operand) {
    COPPICE_ASSIGN(NodePtr left, operand());
    for (;;) {
      const auto* symbol =
          std::ranges::find_if(symbols, [&](std::string_view one) { return At(one); });
      if (symbol == symbols.end()) return left;
      NodePtr node = MakeNode(NodeKind::kCall, Current().offset);
      node->text = *symbol;
      ++at_;
      COPPICE_TRY(Adopt(*node, std::move(left)));
      COPPICE_ASSIGN(NodePtr right, operand());
      COPPICE_TRY(Adopt(*node, std::move(right)));
      left = std::move(node);
    }
  }

  NodeResult Unary() {
    const size_t offset = Current().offset;
    if (!At("!") && !At("-")) return Member();
    const bool minus = At("-");
    ++at_;
    if (minus && IsNumberLiteral()) return NegativeLiteral(offset);
    if (++open_ > kMaxDepth) return Fail(offset, "expression nests too deeply");
    NodeResult operand = Unary();
    --open_;
    if (!operand) return operand.error();
    NodePtr node = MakeNode(NodeKind::kCall, offset);
    node->text = minus ? "-" : "!";
    COPPICE_TRY(Adopt(*node, *std::move(operand)));
    return node;
  }

  bool IsNumberLiteral() const {
    const Value& literal = Current().literal;
    return Current().kind == TokenKind::kLiteral &&
           (literal.As<int64_t>() != nullptr || literal.As<double>() != nullptr);
  }

  NodeResult NegativeLiteral(size_t offset) {
    Token& token = tokens_[at_];
    if (const auto* number = token.literal.As<int64_t>()) {
      token.literal = Value(static_cast<int64_t>(0 - static_cast<uint64_t>(*number)));
      token.text.clear();
    } else {
      token.literal = Value(-*token.literal.As<double>());
    }
    token.offset = offset;
    return Member();
  }

  NodeResult Member() {
    COPPICE_ASSIGN(NodePtr node, Primary());
    for (;;) {
      const size_t offset = Current().offset;
      if (Take(".")) {
        COPPICE_ASSIGN(node, SelectOrCall(std::move(node), offset));
      } else if (Take("[")) {
        COPPICE_ASSIGN(node, Index(std::move(node), offset));
      } else {
        return node;
      }
    }
  }

  NodeResult Index(NodePtr target, size_t offset) {
    NodePtr node = MakeNode(NodeKind::kIndex, offset);
    node->optional = Take("?");
    COPPICE_TRY(Adopt(*node, std::move(target)));
    COPPICE_ASSIGN(NodePtr index, Expression());
    COPPICE_TRY(Adopt(*node, std::move(index)));
    COPPICE_TRY(Expect("]"));
    return node;
  }

  NodeResult SelectOrCall(NodePtr target, size_t offset) {
    const bool optional = Take("?");
    const Token name = Current();
    if (name.kind != TokenKind::kIdentifier && name.kind != TokenKind::kQuotedIdentifier) {
      return Unexpected();
    }
    ++at_;
    if (!optional && At("(")) {
      COPPICE_ASSIGN(auto arguments, Arguments());
      return MemberCall(std::move(target), name, std::move(arguments));
    }
    NodePtr node = MakeNode(NodeKind::kSelect, offset);
    node->text = name.text;
    node->optional = optional;
    COPPICE_TRY(Adopt(*node, std::move(target)));
    return node;
  }

  base::Result<std::vector<NodePtr>> Arguments() {
    COPPICE_TRY(Expect("("));
    std::vector<NodePtr> arguments;
    while (!Take(")")) {
      if (!arguments.empty()) COPPICE_TRY(Expect(","));
      COPPICE_ASSIGN(NodePtr argument, Expression());
      arguments.push_back(std::move(argument));
    }
    return arguments;
  }

  NodeResult Primary() {
    const Token token = Current();
    if (token.kind == TokenKind::kLiteral) return Literal(token);
    if (Take("(")) {
      COPPICE_ASSIGN(NodePtr inner, Expression());
      COPPICE_TRY(Expect(")"));
      return inner;
    }
    if (Take("[")) return ListLiteral(token.offset);
    if (Take("{")) return MapLiteral(token.offset);
    Take(".");
    if (Current().kind != TokenKind::kIdentifier) return Unexpected();
    return Identifier();
  }

  NodeResult Literal(const Token& token) {
    if (token.text == "-") return Fail(token.offset, "invalid int literal");
    ++at_;
    NodePtr node = MakeNode(NodeKind::kLiteral, token.offset);
    node->literal = token.literal;
    return node;
  }

  NodeResult Identifier() {
    const Token name = Current();
    ++at_;
    if (std::ranges::find(kReserved, name.text) != std::end(kReserved)) {
      return Fail(name.offset, fmt::format("reserved identifier: {}", name.text));
    }
    if (At("(")) {
      COPPICE_ASSIGN(auto arguments, Arguments());
      if (name.text == "has") return HasMacro(name, std::move(arguments));
      return Call(name, false, nullptr, std::move(arguments));
    }
    NodePtr node = MakeNode(NodeKind::kVariable, name.offset);
    node->text = name.text;
    return node;
  }

  NodeResult ListLiteral(size_t offset) {
    NodePtr node = MakeNode(NodeKind::kList, offset);
    while (!Take("]")) {
      node->optional_items.push_back(Take("?"));
      COPPICE_ASSIGN(NodePtr item, Expression());
      COPPICE_TRY(Adopt(*node, std::move(item)));
      if (!At("]")) COPPICE_TRY(Expect(","));
    }
    return node;
  }

  NodeResult MapLiteral(size_t offset) {
    NodePtr node = MakeNode(NodeKind::kMap, offset);
    while (!Take("}")) {
      node->optional_items.push_back(Take("?"));
      COPPICE_ASSIGN(NodePtr key, Expression());
      COPPICE_TRY(Adopt(*node, std::move(key)));
      COPPICE_TRY(Expect(":"));
      COPPICE_ASSIGN(NodePtr value, Expression());
      COPPICE_TRY(Adopt(*node, std::move(value)));
      if (!At("}")) COPPICE_TRY(Expect(","));
    }
    return node;
  }

  NodeResult Call(const Token& name, bool member, NodePtr target, std::vector<NodePtr> arguments) {
    NodePtr node = MakeNode(NodeKind::kCall, name.offset);
    node->text = name.text;
    node->member = member;
    if (target != nullptr) COPPICE_TRY(Adopt(*node, std::move(target)));
    for (NodePtr& argument : arguments) COPPICE_TRY(Adopt(*node, std::move(argument)));
    return node;
  }

  NodeResult HasMacro(const Token& name, std::vector<NodePtr> arguments) {
    if (arguments.size() != 1 || arguments[0]->kind != NodeKind::kSelect) {
      return Fail(name.offset, "invalid argument to has() macro");
    }
    NodePtr node = std::move(arguments[0]);
    node->kind = NodeKind::kHas;
    return node;
  }

  NodeResult MemberCall(NodePtr target, const Token& name, std::vector<NodePtr> arguments) {
    const bool on_cel = target->kind == NodeKind::kVariable && target->text == "cel";
    if (name.text == "bind" && on_cel && arguments.size() == 3) {
      return Introduce(NodeKind::kBind, name, 1, nullptr, std::move(arguments));
    }
    struct Macro {
      std::string_view name;
      size_t arguments;
      size_t names;
      NodeKind kind;
    };
    static constexpr Macro kMacros[] = {
        {"all", 2, 1, NodeKind::kAll},
        {"all", 3, 2, NodeKind::kAll},
        {"exists", 2, 1, NodeKind::kExists},
        {"exists", 3, 2, NodeKind::kExists},
        {"exists_one", 2, 1, NodeKind::kExistsOne},
        {"existsOne", 2, 1, NodeKind::kExistsOne},
        {"existsOne", 3, 2, NodeKind::kExistsOne},
        {"filter", 2, 1, NodeKind::kFilter},
        {"map", 2, 1, NodeKind::kMapTo},
        {"map", 3, 1, NodeKind::kMapTo},
        {"transformList", 3, 2, NodeKind::kMapTo},
        {"transformList", 4, 2, NodeKind::kMapTo},
        {"transformMap", 3, 2, NodeKind::kTransformMap},
        {"transformMap", 4, 2, NodeKind::kTransformMap},
        {"optMap", 2, 1, NodeKind::kOptMap},
        {"optFlatMap", 2, 1, NodeKind::kOptFlatMap},
    };
    for (const Macro& macro : kMacros) {
      if (macro.name != name.text || macro.arguments != arguments.size()) continue;
      return Introduce(macro.kind, name, macro.names, std::move(target), std::move(arguments));
    }
    return Call(name, true, std::move(target), std::move(arguments));
  }

  // A node whose first arguments are the names that its body may use.
  NodeResult Introduce(NodeKind kind, const Token& name, size_t names, NodePtr target,
                       std::vector<NodePtr> arguments) {
    NodePtr node = MakeNode(kind, name.offset);
    node->text = name.text;
    if (target != nullptr) COPPICE_TRY(Adopt(*node, std::move(target)));
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (i >= names) {
        COPPICE_TRY(Adopt(*node, std::move(arguments[i])));
        continue;
      }
      if (arguments[i]->kind != NodeKind::kVariable) {
        return Fail(arguments[i]->offset, "argument must be a simple name");
      }
      node->names.push_back(arguments[i]->text);
    }
    return node;
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
  size_t open_ = 0;
};

}  // namespace

base::Result<NodePtr> ParseExpression(std::string_view source) {
  if (source.size() > kMaxSourceBytes) return base::InvalidArgument("expression is too long");
  COPPICE_ASSIGN(auto tokens, Tokenize(source));
  return Parser(source, std::move(tokens)).Parse();
}

}  // namespace coppice::cel
