// SPDX-License-Identifier: MIT

package import OppiModel

extension FakeServer {
  /// What remains of a server that has ended; another server can start from it.
  package struct Remains: Sendable {
    package let port: Int
    package let fingerprint: Fingerprint
    package let ownerToken: String
    package let workspaces: [Workspace]
    let tokens: Set<String>
    let access: AccessRoutes.Records?
    let archive: Archive
  }
}

/// The data of a server on disk.
struct Archive: Sendable {
  struct Session: Sendable {
    var record: SessionRecord
    var trace: Trace
  }

  var sessions: [Session] = []
  var choices = LastChoices()
  var approvedCommands: Set<String> = []
  var uploads: [String: Upload] = [:]
  var scheduleRuns: [ServerScheduleRun] = []
}
