// SPDX-License-Identifier: MIT

/// What a server has on disk.
struct Archive: Sendable {
  struct Session: Sendable {
    var record: SessionRecord
    var trace: Trace
  }

  var sessions: [Session] = []
  var lastModels: [String: String] = [:]
  var lastThinkingLevels: [String: String] = [:]
  var approvedCommands: Set<String> = []
}
