#pragma once

#include <string>

#include "engine/selectors.h"

namespace coppice::engine {

// Selectors as kubectl writes them: "app=web,tier in (a,b),!old"; alternatives with " or ".
std::string SelectorText(const LabelSelector& selector);
std::string SelectorText(const NodeSelector& selector);

}  // namespace coppice::engine
