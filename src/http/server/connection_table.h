#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "http/server/limits.h"
#include "http/server/unsent_bytes.h"

namespace coppice::http {

class Connection;

// The connections of a server, and which one to close when a new one needs room: unauthenticated
// clients before authenticated ones, and the oldest of the address that has the most. A connection
// whose request is being handled is never closed, so unauthenticated clients may exceed their share
// meanwhile. Thread-safe; connections are closed asynchronously, in their own strands.
class ConnectionTable {
 public:
  explicit ConnectionTable(size_t max_connections)
      : total_(max_connections),
        per_address_(ConnectionsPerAddress(max_connections)),
        unauthenticated_(UnauthenticatedConnections(max_connections)) {}

  // False if there is no room and no connection can be closed. Connections with the same `address`
  // share its limits: see AddressKey.
  bool Add(std::shared_ptr<Connection> connection, const std::string& address);
  // The connection is closed.
  void Remove(Connection* connection);
  void MarkAuthenticated(Connection* connection);
  // Closes the unauthenticated client that has held bytes of a request the longest, if any.
  void CloseOldestReceiver();
  // Closes the connections whose unread responses take most memory, until the rest fits.
  void CloseHeaviest(SendBudget& budget, std::chrono::steady_clock::time_point now);

  // Connections that are open or about to be closed.
  size_t size() const;
  // True when all were removed within `patience`.
  bool WaitUntilEmpty(std::chrono::milliseconds patience);
  template <typename Function>
  void ForEach(Function function) {
    std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : entries_) function(*entry.connection);
  }

 private:
  using Strangers = std::list<Connection*>;  // The oldest first.
  struct Entry {
    std::shared_ptr<Connection> connection;
    std::string address;
    uint64_t number = 0;  // In the order of arrival.
    bool stranger = true;
    Strangers::iterator place;  // Of an unauthenticated client.
    bool leaving = false;
  };
  struct Address {
    size_t count = 0;
    Strangers strangers;
  };

  bool MakeRoom(const std::string& address);
  bool DismissStranger(Address& address);
  bool DismissAnyStranger();
  // Of `address`, or of any when it is null.
  bool DismissIdle(const std::string* address);
  void Dismiss(Entry& entry);
  void Forget(Entry& entry);

  const size_t total_;
  const size_t per_address_;
  const size_t unauthenticated_;

  mutable std::mutex mutex_;  // Guards all below.
  std::condition_variable removed_;
  std::unordered_map<Connection*, Entry> entries_;
  std::unordered_map<std::string, Address> addresses_;  // Without those that are being closed.
  size_t strangers_ = 0;
  size_t staying_ = 0;  // Entries that are not being closed.
  uint64_t next_number_ = 0;
};

// The key that identifies a client: an IPv4 address, or the /64 network of an IPv6 address, which
// usually belongs to a single machine.
std::string AddressKey(const std::string& address);

}  // namespace coppice::http
