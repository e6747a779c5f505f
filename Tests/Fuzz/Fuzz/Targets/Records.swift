// SPDX-License-Identifier: MIT

import OppiModel

/// Records of servers and files survive printing and parsing, or are ignored.
func fuzzRecords(_ bytes: [UInt8]) {
  guard let json = try? JSONValue(parsingJSON5: bytes) else { return }
  let now = Timestamp(milliseconds: 1_795_220_505_441)
  if let server = PairedServer(json: json) {
    precondition(PairedServer(json: server.json) == server, "another server: \(server)")
  }
  if let target = LaunchTarget(json: json) {
    precondition(LaunchTarget(json: target.json)?.workspace == target.workspace, "another target")
    precondition(target.age(at: now) >= 0, "an age before birth")
  }
  if let workspace = Workspace(json: json) {
    precondition(Workspace(json: workspace.json) == workspace, "another workspace: \(workspace)")
    expectSafe([workspace.name, workspace.icon ?? "", workspace.description ?? ""])
  }
  if let session = Session(json: json) {
    let times = [session.createdAt, session.lastActivity]
    for time in times { _ = (time.iso8601, now.milliseconds - time.milliseconds) }
    expectSafe([session.name, session.workspaceName, session.model].compactMap(\.self))
  }
  let info = ServerInfo(json: json)
  expectSafe([info.name, info.version ?? ""])
}
