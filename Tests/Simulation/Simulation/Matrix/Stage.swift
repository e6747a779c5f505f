// SPDX-License-Identifier: MIT

/// The prepared world of an invocation.
struct Stage: Sendable {
  /// The command line without the global options.
  var words: [String]
  /// The server with the fault.
  var server: VirtualServer
  /// Servers without a fault.
  var others: [VirtualServer] = []

  var servers: [VirtualServer] { [server] + others }
}
