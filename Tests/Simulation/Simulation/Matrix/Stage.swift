// SPDX-License-Identifier: MIT

import LoopbackServer

/// What an invocation found when it began.
struct Stage: Sendable {
  /// The command line without the global options.
  var words: [String]
  /// The server that goes wrong.
  var server: VirtualServer
  /// Servers that do not.
  var others: [VirtualServer] = []

  var servers: [VirtualServer] { [server] + others }
}
