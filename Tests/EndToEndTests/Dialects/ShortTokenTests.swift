// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import TestSupport
import Testing

/// Tokens of seconds, in real time and over TLS, under commands that last longer.
@Suite("Tokens of seconds", .fewAtOnce, .needs("openssl"))
struct ShortTokenTests {
  @Test("followers, a waiting ask and watch lose and repeat nothing, and say nothing about it")
  func followed() async throws {
    let (home, server) = try await Home.paired(over: .deviceKeys) { configuration in
      configuration.limits.accessTokenLifetime = .seconds(2)
      configuration.limits.refreshesPerMinute = 1000
      configuration.limits.loadedSessionsPerWorkspace = 1000
      configuration.limits.loadedSessions = 1000
      configuration.limits.accessTokenGrace = .zero
    }
    async let waiting = home.oppi("ask", "--wait", "-w", "demo", "silent")
    let id = try await server.wait { !$0.runs.isEmpty }.runs[0].sessionID
    async let plain = home.oppi("follow", "--plain", "--", id)
    async let json = home.oppi("follow", "--json", "--", id)
    async let watching = home.shell(
      """
      mkdir -m 700 run; export XDG_RUNTIME_DIR=$PWD/run
      oppi watch --no-notifications & watch=$!
      \(Home.until("[ -e done ]")); kill -TERM $watch; wait $watch
      """
    )
    // The server closes nine streams at the end of their tokens, each with another one after it.
    try await server.wait { journal in
      journal.requests.count { $0.path.contains(id) && $0.path.hasSuffix("/stream") } > 9
    }
    for number in 1...5 {
      let outcome = try await home.oppi("ask", "--wait", "-w", "webapp", "hello \(number)")
      #expect(outcome.output == "The command printed: hi\n", "\(outcome)")
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
    await server.releaseTool(inSession: id)
    let (shown, lines, answer) = try await (plain, json, waiting)
    try home.write("", to: "done")
    let watched = try await watching
    #expect(shown.status == 0 && shown.outputLines.last == "turn finished", "\(shown)")
    #expect(Set(shown.outputLines).count == shown.outputLines.count, "\(shown)")
    #expect(shown.errorLines.count == 1, "\(shown)")
    let types = try lines.jsonLines().compactMap { $0["type"] as? String }
    #expect(types.count { $0 == "tool-finished" } == 1, "\(lines)")
    #expect(types.count { $0 == "turn-finished" } == 1, "\(lines)")
    #expect(!types.contains { $0.contains("connection") }, "\(lines)")
    #expect(lines.status == 0 && lines.errors.isEmpty, "\(lines)")
    #expect(answer.output == "The silent work is done.\n" && answer.errors.isEmpty, "\(answer)")
    #expect(watched.status == 143 && watched.errors.isEmpty, "\(watched)")
    let expected = ["silent"] + (1...5).map { "hello \($0)" }
    #expect(server.journal.runs.map(\.text).sorted() == expected.sorted())
    #expect(server.refreshes >= 2)
  }
}
