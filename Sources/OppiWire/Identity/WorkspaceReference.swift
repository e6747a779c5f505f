// SPDX-License-Identifier: MIT

package import OppiText

/// The id of a workspace across all paired servers: `<serverFingerprint>|<workspaceId>`.
///
/// The separator is `|` because fingerprints contain `:`.
package struct WorkspaceReference: Sendable, Hashable {
  package internal(set) var serverID: Fingerprint
  package internal(set) var workspaceID: String

  /// A placeholder in records that are being read.
  package static let blank = WorkspaceReference(serverID: .blank, blankID: "")

  private init(serverID: Fingerprint, blankID: String) {
    (self.serverID, workspaceID) = (serverID, blankID)
  }

  /// Fails if the workspace id is invalid.
  package init?(serverID: Fingerprint, workspaceID: String) {
    guard WireID.isValid(workspaceID) else { return nil }
    self.serverID = serverID
    self.workspaceID = workspaceID
  }

  /// Parses `<serverFingerprint>|<workspaceId>`; `nil` for any other text.
  package init?(_ text: some StringProtocol) {
    let halves = text.split(separator: "|", omittingEmptySubsequences: false)
    guard halves.count == 2, let serverID = Fingerprint(halves[0]) else { return nil }
    self.init(serverID: serverID, workspaceID: String(halves[1]))
  }
}

extension WorkspaceReference: CustomStringConvertible {
  package var description: String { "\(serverID)|\(workspaceID)" }
}

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

  /// The age in seconds; 0 for a target in the future, after the clock was set back.
  package func age(at now: Timestamp) -> Int {
    max(0, now.seconds - timestamp.seconds)
  }

  package func isRecent(at now: Timestamp) -> Bool {
    age(at: now) <= Self.lifetime
  }
}

extension LaunchTarget: ShapedRecord {
  package static let shape = RecordShape(
    LaunchTarget(workspace: .blank, timestamp: Timestamp(milliseconds: 0)),
    [
      .required("serverId", { $1(&$0.workspace.serverID) }, .fingerprint),
      .required("workspaceId", { $1(&$0.workspace.workspaceID) }, .wireID),
      .required("timestamp", { $1(&$0.timestamp) }, .iso8601),
    ]
  )
}

/// A folder on this machine, as its path components.
///
/// `.` and empty components are dropped, and `..` removes the component before it. The file system
/// is not read, so symbolic links are not resolved.
package struct FolderPath: Sendable, Hashable {
  private let names: [String]

  /// Parses an absolute path, or `~` and `~/…` below the home folder; `nil` for any other path.
  package init?(_ text: String, home: String) {
    let isBelowHome = text == "~" || text.hasPrefix("~/")
    let path = isBelowHome ? home + text.dropFirst() : text
    guard path.hasPrefix("/") else { return nil }
    names = path.split(separator: "/").reduce(into: []) { names, name in
      switch name {
      case ".": break
      case "..": _ = names.popLast()
      default: names.append(String(name))
      }
    }
  }

  /// The levels from this folder down to another, 0 for the same; `nil` if it is not an ancestor.
  package func levels(above other: FolderPath) -> Int? {
    other.names.starts(with: names) ? other.names.count - names.count : nil
  }

  /// The path, with `~` for the home folder.
  package func text(home: String) -> String {
    if let home = FolderPath(home, home: ""), !home.names.isEmpty, home.levels(above: self) != nil {
      return (["~"] + names.dropFirst(home.names.count)).joined(separator: "/")
    }
    return "/" + names.joined(separator: "/")
  }
}

extension JSONField<WorkspaceReference> {
  package static var workspace: JSONField {
    spelled({ $0.description }, { WorkspaceReference($0) })
  }
}
