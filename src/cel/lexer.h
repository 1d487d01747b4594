#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cel/values/value.h"

namespace coppice::cel {

enum class TokenKind { kEnd, kIdentifier, kQuotedIdentifier, kLiteral, kSymbol };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;   // The identifier or symbol.
  Value literal;      // Of literals: numbers, strings, bytes, true, false, null.
  size_t offset = 0;  // Where it starts.
};

// Splits an expression into tokens, of which the last is kEnd. Errors name the place as "line:col".
base::Result<std::vector<Token>> Tokenize(std::string_view source);

// "2:7" for an offset into the source.
std::string PlaceOf(std::string_view source, size_t offset);

}  // namespace coppice::cel
