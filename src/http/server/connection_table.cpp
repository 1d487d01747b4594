#include "http/server/connection_table.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <functional>
#include <vector>

#include "base/log.h"
#include "http/server/connection.h"

namespace coppice::http {

bool ConnectionTable::Add(std::shared_ptr<Connection> connection, const std::string& address) {
  std::lock_guard lock(mutex_);
  if (!MakeRoom(address)) return false;
  Connection* const key = connection.get();
  Address& home = addresses_[address];
  home.strangers.push_back(key);
  ++home.count;
  ++strangers_;
  ++staying_;
  entries_.emplace(key, Entry{.connection = std::move(connection),
                              .address = address,
                              .number = next_number_++,
                              .place = std::prev(home.strangers.end())});
  return true;
}

bool ConnectionTable::MakeRoom(const std::string& address) {
  // Those that are leaving are closed within moments; a flood must not outrun that.
  if (entries_.size() >= staying_ + total_) return false;
  const auto home = addresses_.find(address);
  if (home != addresses_.end() && home->second.count >= per_address_) {
    return DismissStranger(home->second) || DismissIdle(&address);
  }
  if (staying_ >= total_) return DismissAnyStranger() || DismissIdle(nullptr);
  if (strangers_ >= unauthenticated_) DismissAnyStranger();
  return true;
}

bool ConnectionTable::DismissStranger(Address& address) {
  for (Connection* stranger : address.strangers) {
    if (stranger->InHandler()) continue;
    Dismiss(entries_.at(stranger));
    return true;
  }
  return false;
}

bool ConnectionTable::DismissAnyStranger() {
  const auto most = std::ranges::max_element(
      addresses_, {}, [](const auto& address) { return address.second.strangers.size(); });
  if (most == addresses_.end()) return false;
  if (DismissStranger(most->second)) return true;
  return std::ranges::any_of(addresses_,
                             [this](auto& address) { return DismissStranger(address.second); });
}

bool ConnectionTable::DismissIdle(const std::string* address) {
  Entry* oldest = nullptr;
  for (auto& [key, entry] : entries_) {
    const bool candidate = !entry.leaving && !entry.stranger && !key->Active() &&
                           (address == nullptr || entry.address == *address);
    if (candidate && (oldest == nullptr || entry.number < oldest->number)) oldest = &entry;
  }
  if (oldest == nullptr) return false;
  Dismiss(*oldest);
  return true;
}

void ConnectionTable::CloseOldestReceiver() {
  std::lock_guard lock(mutex_);
  Entry* oldest = nullptr;
  for (auto& [key, entry] : entries_) {
    const bool candidate =
        !entry.leaving && entry.stranger && key->HeldBytes() > 0 && !key->InHandler();
    if (candidate && (oldest == nullptr || entry.number < oldest->number)) oldest = &entry;
  }
  if (oldest != nullptr) Dismiss(*oldest);
}

void ConnectionTable::CloseHeaviest(SendBudget& budget, std::chrono::steady_clock::time_point now) {
  std::lock_guard lock(mutex_);
  if (!budget.NeedsLook(now)) return;  // Another thread was faster.
  size_t used = budget.used();
  size_t total = 0;
  std::vector<std::pair<size_t, Entry*>> holders;
  for (auto& [key, entry] : entries_) {
    if (entry.leaving) continue;
    const size_t held = key->Unsent().used() == 0 ? 0 : key->Unsent().Held();
    total += held;
    if (held > 0) holders.emplace_back(held, &entry);
  }
  std::ranges::sort(holders, std::greater<>(), [](const auto& holder) { return holder.first; });
  for (const auto& [held, entry] : holders) {
    if (total <= budget.limit()) break;
    total -= held;
    used -= std::min(used, entry->connection->Unsent().used());
    base::LogWarn("closing a connection whose client does not read", {{"bytes", held}});
    entry->connection->Post([](Connection& each) { each.Close(); });
    Forget(*entry);
    entry->leaving = true;
  }
  budget.Looked(used, total, now);
}

void ConnectionTable::Dismiss(Entry& entry) {
  // Authenticated clients get a graceful shutdown, so that they do not see the close as a failure.
  if (entry.stranger) {
    entry.connection->Post([](Connection& each) { each.Close(); });
  } else {
    entry.connection->Post([](Connection& each) { each.Shutdown(); });
  }
  Forget(entry);
  entry.leaving = true;
}

void ConnectionTable::MarkAuthenticated(Connection* connection) {
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(connection);
  if (found == entries_.end() || found->second.leaving || !found->second.stranger) return;
  addresses_.at(found->second.address).strangers.erase(found->second.place);
  found->second.stranger = false;
  --strangers_;
}

void ConnectionTable::Remove(Connection* connection) {
  decltype(entries_)::node_type removed;  // Destroyed after the lock.
  std::lock_guard lock(mutex_);
  const auto found = entries_.find(connection);
  if (found == entries_.end()) return;
  if (!found->second.leaving) Forget(found->second);
  removed = entries_.extract(found);
  if (entries_.empty()) removed_.notify_all();
}

// It no longer counts.
void ConnectionTable::Forget(Entry& entry) {
  const auto home = addresses_.find(entry.address);
  if (entry.stranger) {
    home->second.strangers.erase(entry.place);
    --strangers_;
  }
  if (--home->second.count == 0) addresses_.erase(home);
  --staying_;
}

size_t ConnectionTable::size() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

bool ConnectionTable::WaitUntilEmpty(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return removed_.wait_for(lock, patience, [this] { return entries_.empty(); });
}

std::string AddressKey(const std::string& address) {
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(address, error);
  if (error || parsed.is_v4()) return address;
  const auto v6 = parsed.to_v6();
  if (v6.is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6).to_string();
  }
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return boost::asio::ip::make_address_v6(bytes).to_string();
}

}  // namespace coppice::http
