// SPDX-License-Identifier: MIT

import FakeServer
import OppiText

/// Compares the reported results of commands with the actual state of the world.
struct TruthCheck {
  let cell: Cell
  let stage: Stage
  let world: World

  func check(_ outcome: Program.Outcome, _ status: Int32) async {
    switch cell.invocation.command {
    case ["pair"]: await checkPairing(status)
    case ["launch"]: checkLaunch(outcome, status)
    case ["stop"]: await checkStop(status)
    case ["follow"]: checkFollowing(outcome)
    case ["workspaces"]: checkList(outcome)
    default: break
    }
  }

  private func ask(_ words: [String]) async -> [JSONValue] {
    let program = world.program()
    return await program.run(["--json"] + words).documents
  }

  /// Checks that the other server is still paired, and this server is paired completely or not at
  /// all.
  private func checkPairing(_ status: Int32) async {
    guard stage.server.isRunning else { return }
    let servers = await ask(["servers", "test"]).first?["servers"].array ?? []
    func isGood(_ name: String) -> Bool? {
      servers.first { $0["name"].string == name }.map { $0["ok"] == true }
    }
    world.check(isGood("office") == true, "the other server is lost")
    world.check(isGood("studio") != false, "the server is paired incompletely")
    if status == 0 { world.check(isGood("studio") == true, "reported as paired, but it is not") }
  }

  /// Checks that a launch target creates at most one session, and is removed with it.
  private func checkLaunch(_ outcome: Program.Outcome, _ status: Int32) {
    let made = stage.server.requests.filter {
      $0.method == "POST" && $0.path.hasSuffix("/sessions")
    }
    let launches = stage.server.launches
    world.check(launches <= 1, "\(launches) sessions were requested")
    guard status == 0 else {
      world.check(outcome.output.isEmpty, "a session is reported despite status \(status)")
      return
    }
    world.check(
      made.contains { [200, 201].contains($0.status) },
      "a session is reported, but does not exist"
    )
    let left = world.disk.paths.filter { $0.contains("launch-target") && !$0.hasSuffix(".lock") }
    world.check(left.isEmpty, "the target still exists: \(left)")
  }

  /// Checks that a stopped session is idle.
  private func checkStop(_ status: Int32) async {
    // A 404 response to an events request means that the session has no agent; a revoked device
    // cannot query it.
    guard status == 0, stage.server.isRunning,
      !["404", "revoked"].contains(cell.strike?.fault.name)
    else { return }
    let again = await ask(stage.words)
    guard !stage.words.contains("--session") else { return }
    world.check(again.first?["state"] == "idle", "stopped, but still running")
  }

  private func checkFollowing(_ outcome: Program.Outcome) {
    let lines = outcome.documents
    let ends = lines.count { $0["type"] == "turn-finished" }
    world.check(ends <= 1, "the end of one turn was reported \(ends) times")
    let calls = lines.filter { $0["type"] == "tool-finished" }.compactMap(\.["callId"].string)
    world.check(Set(calls).count == calls.count, "the end of a call was reported twice")
  }

  private func checkList(_ outcome: Program.Outcome) {
    guard let document = outcome.documents.first, let servers = document["servers"].array else {
      return
    }
    for server in servers {
      let listed = document["workspaces"].array?.count { $0["serverName"] == server["name"] } ?? 0
      let isListed = server["state"] == "ok" || server["state"] == "stale"
      world.check(isListed == (listed == 2), "\(listed) workspaces of \(server.text())")
    }
    guard cell.strike?.fault.hitsAll != true else { return }
    let other = servers.first { $0["name"] == "office" }
    world.check(other?["state"] == "ok", "the other server is \(other?["state"].text() ?? "lost")")
  }
}
