#pragma once

#include <string>

#include "engine/model/selectors.h"

namespace coppice::engine {

// Selectors in kubectl's notation: "app=web,tier in (a,b),!old"; alternatives are joined by " or ".
std::string SelectorText(const LabelSelector& selector);
std::string SelectorText(const NodeSelector& selector);

}  // namespace coppice::engine
