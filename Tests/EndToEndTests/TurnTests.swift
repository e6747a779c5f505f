// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import OppiTransport
import TestSupport
import Testing

/// `ask --wait`, `follow`, `stop`, `new` and `launch` with a real server.
@Suite(.fewAtOnce) struct TurnTests {
  @Test("--wait prints the final answer alone and succeeds", arguments: Line.available)
  func waits(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
    defer { withExtendedLifetime(server) {} }
    let outcome = try await home.shell(
      "x=$(oppi ask -w demo --wait 'hello') && printf '<%s>' \"$x\""
    )
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.hasPrefix("<") && outcome.output.count > 2, "\(outcome)")
    #expect(outcome.errors.isEmpty, "\(outcome)")
    let journal = try await server.wait { $0.endedConnections == $0.connections }
    #expect(journal.closeCodes.allSatisfy { $0 == 1000 })
  }

  @Test("an elapsed --timeout is 124, and the agent continues")
  func timeLimit() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    try await home.oppi("ask", "-w", "demo", "--wait", "--timeout", "500ms", "slow", exits: 124)
    #expect(!server.journal.messages.contains { $0.type == "stop" })
    try await home.oppi("follow", "--timeout", "500ms", "--json", exits: 124)
  }

  @Test("stop ends the turn and reports a session without one as idle", arguments: Line.available)
  func stops(line: Line) async throws {
    let (home, server) = try await Home.paired(line)
    defer { withExtendedLifetime(server) {} }
    _ = try await home.oppi("ask", "-w", "demo", "slow")
    let stopped = try await home.oppi("stop", "last", "--json", exits: 0)
    #expect(try stopped.json()["state"] as? String == "stopped")
    let idle = try await home.oppi("stop", "last", "--json")
    #expect(try idle.json()["state"] as? String == "idle", "\(idle)")
    let ended = try await home.oppi("stop", "--session", "last", "--json")
    #expect(try ended.json()["state"] as? String == "stopped", "\(ended)")
    #expect(try ended.json()["sessionEnded"] as? Bool == true, "\(ended)")
  }

  @Test("follow --json prints one object for each change until the turn ends")
  func follows() async throws {
    let (home, server) = try await Home.paired()
    async let asking = home.oppi("ask", "-w", "demo", "--follow", "--plain", "slow")
    try await server.wait { $0.messages.contains { $0.type == "prompt" } }
    // The turn may not have started yet.
    async let following = home.shell(Home.until("oppi follow --json 2>/dev/null"))
    try await server.wait { $0.messages.count { $0.type == "subscribe" } >= 2 }
    // The slow turn ends with the next message.
    _ = try await home.shell(Home.until("oppi ask -q -s last 'that is enough' 2>/dev/null"))
    let asked = try await asking
    #expect(asked.status == 0, "\(asked)")
    #expect(asked.errors.contains("turn finished"), "\(asked)")
    let outcome = try await following
    #expect(outcome.status == 0, "\(outcome)")
    let types = try outcome.outputLines.map { line in
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["at"] is String && object?["sessionId"] is String)
      return object?["type"] as? String ?? ""
    }
    #expect(types.count { $0 == "turn-finished" } == 1, "\(outcome)")
    #expect(types.last == "turn-finished", "\(outcome)")
  }

  @Test("new creates a target without the network, and only one of two launches uses it")
  func launchesOnce() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    _ = try await home.oppi("workspaces")
    let connections = server.journal.connections
    let target = try await home.oppi("new", "-w", "demo", "--print-target", exits: 0)
    #expect(try target.json()["serverId"] as? String == server.fingerprint.text)
    #expect(server.journal.connections == connections)
    let outcome = try await home.shell(
      "oppi launch --print & one=$!; oppi launch --print & wait $one; a=$?; wait $!; echo $((a + $?))",
      shell: "/bin/bash"
    )
    #expect(outcome.outputLines.count == 2 && outcome.outputLines.contains("66"), "\(outcome)")
    #expect(
      server.journal.requests.count { $0.method == "POST" && $0.path.hasSuffix("/sessions") } == 1
    )
  }

  @Test("new starts the configured app in the background")
  func opensApp() async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let app = try home.write(
      "[ \"$1|$2\" = 'two words|$HOME' ] && oppi launch --print >\"$HOME/session\" 2>&1\n",
      to: "my app.sh"
    )
    _ = try await home.oppi("config", "set", "app.command", "sh '\(app)' 'two words' '$HOME'")
    let outcome = try await home.shell(
      "oppi new -w demo && \(Home.until("[ -s session ]")); cat session"
    )
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.output.wholeMatch(of: /[A-Za-z0-9_-]{8}\n/) != nil, "\(outcome)")
  }

  @Test(
    "$TERMINAL may contain arguments",
    arguments: [
      ("foot", "-e"), ("foot -e", "-e"), ("foot --title 'My agent'", "--title|My agent|-e"),
    ]
  )
  func terminal(variable: String, words: String) async throws {
    let (home, server) = try await Home.paired()
    defer { withExtendedLifetime(server) {} }
    let script = "#!/bin/sh\nIFS='|'; echo \"$*\" >\"$HOME/words\"\n"
    _ = try home.write(script, to: "bin/foot", isExecutable: true)
    let outcome = try await home.shell(
      "\(Executable.oppi) new -w demo && \(Home.until("[ -s words ]")); cat words",
      environment: ["TERMINAL": variable, "PATH": "\(home.folder.path)/bin:/usr/bin:/bin"]
    )
    #expect(outcome.output.hasPrefix("\(words)|/"), "\(outcome)")
    #expect(outcome.output.hasSuffix("|launch\n"), "\(outcome)")
  }
}
