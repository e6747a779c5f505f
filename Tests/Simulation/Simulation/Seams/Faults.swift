// SPDX-License-Identifier: MIT

/// How a world treats its programs; probabilities between 0 and 1.
package struct Faults: Sendable {
  /// The longest way of a packet.
  package var latency = Duration.milliseconds(80)
  /// How much a connection holds that nobody has read yet.
  package var window = 65_536
  /// That the bytes of one write arrive in pieces.
  package var splits = 0.2
  /// That a write is the last one that a connection carries.
  package var cuts = 0.0
  /// That a connection stays silent from a write on.
  package var hangs = 0.0
  /// That an address refuses a connection.
  package var refusals = 0.0
  /// That an address does not answer at all.
  package var losses = 0.0
  /// That a host's name is not found, or only late.
  package var lookups = 0.0
  /// That a write to the disk fails.
  package var disk = 0.0

  package init() {}

  /// No trouble but latency.
  package static let none = Faults()
}
