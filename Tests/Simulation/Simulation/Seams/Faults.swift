// SPDX-License-Identifier: MIT

/// The faults that a world injects; probabilities are between 0 and 1.
package struct Faults: Sendable {
  /// The maximum one-way delay of a packet.
  package var latency = Duration.milliseconds(80)
  /// The maximum number of bytes of a connection that are unread or in flight.
  package var window = 65_536
  /// Probability that the bytes of one write arrive in two pieces.
  package var splits = 0.2
  /// Probability that a write breaks its connection.
  package var cuts = 0.0
  /// Probability that a connection is silent from a write on.
  package var hangs = 0.0
  /// Probability that an address refuses a connection.
  package var refusals = 0.0
  /// Probability that an address does not answer a connection attempt.
  package var losses = 0.0
  /// Probability that a host name is resolved only after 60 s.
  package var lookups = 0.0
  /// Probability that a write to the disk fails.
  package var disk = 0.0
  /// Probability that a file cannot be read for a while from an opening on, or a folder not be listed.
  package var unreadable = 0.0
  /// Probability that a program that opens a record reads something else.
  package var lies = 0.0
  /// Probability that a server with session sockets performs a POST request without answering it.
  package var lostAnswers = 0.0
  /// Probability that such a server is still performing an earlier request for the same session.
  package var conflicts = 0.0
  /// Probability that such a server is killed after an agent got the prompt of a launch, and before
  /// that is recorded.
  package var unrecorded = 0.0
  /// Probability that a server fails at a request for an access token.
  package var failedRefreshes = 0.0
  /// Probability that all access tokens end at a POST request.
  package var expiries = 0.0

  package init() {}

  /// Only the default latency and splits.
  package static let none = Faults()
}
