#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

// Every limit on what a peer can make a server hold, or wait for. docs/embedded_server.md has them as a
// table, and tests exhaust each of them over real sockets: http1_limits, http2_limits,
// connection_table, server_tls. ServerOptions overrides those that a server may want to change.
namespace coppice::http {

// Connections. A connection is unauthenticated until its client certificate is verified or a
// handler calls ResponseWriter::MarkAuthenticated. When there is no room, unauthenticated
// connections are closed before idle authenticated ones, starting with the oldest of the address
// that has the most.
inline constexpr size_t kMaxConnections = 4096;
// Of kMaxConnections: so that one address never holds all of them.
constexpr size_t ConnectionsPerAddress(size_t all) { return all - all / 4; }
// Of kMaxConnections: so that unauthenticated clients never hold all. One more closes the oldest.
constexpr size_t UnauthenticatedConnections(size_t all) { return all - all / 2; }

// Bytes of one request.
inline constexpr size_t kMaxHeaderBytes = 64 << 10;  // Request line and fields; more: 431.
inline constexpr size_t kMaxBodyBytes = 3 << 20;     // As kube-apiserver; more: 413.
// Chunked bodies, as Go's net/http bounds them. Beyond each: 400.
inline constexpr size_t kMaxChunkLineBytes = 4096;     // Size and extensions of one chunk.
inline constexpr size_t kMaxChunkOverhead = 16 << 10;  // Beyond 16 per chunk and twice the data.
inline constexpr size_t kMaxTrailerBytes = 4096;       // All of them. They are dropped unread.

// Bytes received and not yet processed by a handler: headers, bodies, requests queued for a worker.
// More: 429.
inline constexpr size_t kMaxReceivingBytes = 256 << 20;               // Of all connections.
inline constexpr size_t kMaxReceivingBytesPerConnection = 64 << 20;   // Authenticated.
inline constexpr size_t kMaxReceivingBytesUnauthenticated = 8 << 20;  // Of one connection.
// From this part of kMaxReceivingBytes on, unauthenticated connections that are in the middle of a
// request are closed, the oldest first, so that a new client finds room.
constexpr size_t CrowdedReceivingBytes(size_t all) { return all - all / 4; }

// Bytes of responses that clients have not read, as far as nobody else holds them: objects of a
// list belong to the store too.
inline constexpr size_t kMaxUnsentBytes = 256 << 20;  // More: the connection with most is closed.
inline constexpr size_t kMaxUnsentBytesPerConnection = 64 << 20;  // More: 429 until it reads.
// Larger responses are compressed in pieces of this size, as the client reads.
inline constexpr size_t kGzipPiece = 256 << 10;

// TLS. OpenSSL bounds every other message of a handshake by one record or less.
inline constexpr size_t kMaxClientCertificateBytes = 32 << 10;  // The whole chain.

// HTTP/2. Frames are at most 16 KiB, the compression table 4 KiB: the protocol's defaults.
inline constexpr uint32_t kMaxConcurrentStreams = 1000;
inline constexpr size_t kMaxContinuations = 8;  // Frames of one header block after the first.
inline constexpr size_t kMaxUnsentAcks = 1000;  // Of PING and SETTINGS, to a peer that reads none.
inline constexpr size_t kMaxUnsentFrames = 4096;  // Of any kind but DATA: reading stops meanwhile.
inline constexpr int32_t kStreamWindow = 1 << 20;
inline constexpr int32_t kConnectionWindow = 16 << 20;
// A client that opens and resets streams in a loop (CVE-2023-44487) is disconnected. libcurl resets
// each finished stream too, so the limit must be far above any honest rate.
inline constexpr uint64_t kResetBurst = 100'000;
inline constexpr uint64_t kResetsPerSecond = 50'000;

// Time.
inline constexpr std::chrono::milliseconds kHandshakeTimeout{
    10'000};                                                         // From accept to TLS or bytes.
inline constexpr std::chrono::milliseconds kHeaderTimeout{32'000};   // As kube-apiserver.
inline constexpr std::chrono::milliseconds kRequestTimeout{60'000};  // First byte to last.
inline constexpr std::chrono::milliseconds kUnauthenticatedIdleTimeout{10'000};
inline constexpr std::chrono::milliseconds kIdleTimeout{300'000};
inline constexpr std::chrono::milliseconds kWriteTimeout{30'000};  // The peer takes no bytes.

}  // namespace coppice::http
