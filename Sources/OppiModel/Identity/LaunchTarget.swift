// SPDX-License-Identifier: MIT

/// The workspace in which the app opens a new session, stored when a button is pressed.
package struct LaunchTarget: Sendable, Equatable {
  /// In seconds; older targets are ignored.
  package static let lifetime = 60

  package var workspace: WorkspaceReference
  package var timestamp: Timestamp

  package init(workspace: WorkspaceReference, timestamp: Timestamp) {
    self.workspace = workspace
    self.timestamp = timestamp
  }

  /// Reads the file's object; `nil` if it is not a launch target.
  package init?(json: JSONValue) {
    guard let serverID = json["serverId"].string.flatMap({ Fingerprint($0) }),
      let workspaceID = json["workspaceId"].string,
      let workspace = WorkspaceReference(serverID: serverID, workspaceID: workspaceID),
      let timestamp = json["timestamp"].string.flatMap(Timestamp.init(iso8601:))
    else { return nil }
    self.init(workspace: workspace, timestamp: timestamp)
  }

  package var json: JSONValue {
    [
      "serverId": .string(workspace.serverID.text),
      "workspaceId": .string(workspace.workspaceID),
      "timestamp": .string(timestamp.iso8601),
    ]
  }

  /// The age in seconds; 0 for a target in the future, after the clock was set back.
  package func age(at now: Timestamp) -> Int {
    max(0, now.seconds - timestamp.seconds)
  }

  package func isRecent(at now: Timestamp) -> Bool {
    age(at: now) <= Self.lifetime
  }
}
