// SPDX-License-Identifier: MIT

import FakeServer
import Foundation
import OppiModel
import TestSupport
import Testing

/// Tokens of seconds, in real time and over TLS, under commands that last longer.
///
/// OPPI_SHORT_TOKEN_ASKS=300 sends more prompts, with tokens of 5 s, for manual runs.
@Suite("Tokens of seconds", .fewAtOnce, .needs("openssl"))
struct ShortTokenTests {
  private static let asks = ProcessInfo.processInfo.environment["OPPI_SHORT_TOKEN_ASKS"]
    .flatMap { Int($0) }

  private static func home() async throws -> (Home, RunningServer) {
    let (home, server) = try await Home.paired(over: .deviceKeys) { configuration in
      configuration.limits.accessTokenLifetime = .seconds(asks == nil ? 2 : 5)
      configuration.limits.refreshesPerMinute = 1000
      configuration.limits.loadedSessionsPerWorkspace = 1000
      configuration.limits.loadedSessions = 1000
      configuration.limits.accessTokenGrace = .zero
    }
    return (home, server)
  }

  /// Waits until the server has closed a number of streams at the end of their tokens, each with
  /// another one after it.
  private static func expiries(_ count: Int, _ server: RunningServer, of id: String) async throws {
    try await server.wait { journal in
      journal.requests.count { $0.path.contains(id) && $0.path.hasSuffix("/stream") } > count
    }
  }

  @Test("followers, a waiting ask and watch lose and repeat nothing, and say nothing about it")
  func followed() async throws {
    let (home, server) = try await Self.home()
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
    try await Self.expiries(9, server, of: id)
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

  @Test("many asks run once each, whatever becomes of their token")
  func many() async throws {
    let (home, server) = try await Self.home()
    let id = try await home.session(asking: "silent")
    async let following = home.oppi("follow", "--json", "--", id)
    let begin = ContinuousClock.now
    var sent = ["silent"]
    while sent.count <= Self.asks ?? 10 || server.refreshes < 2 {
      let prompt = "hello \(sent.count)"
      let isNew = sent.count % 3 == 1
      let place = isNew ? ["-w", "webapp"] : ["-s", "last"]
      let wait = sent.count % 2 == 0 ? ["--wait"] : []
      let outcome = try await home.oppi(["ask", "--json"] + place + wait + [prompt])
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      sent.append(prompt)
    }
    await server.releaseTool(inSession: id)
    let lines = try await following
    let types = try lines.jsonLines().compactMap { $0["type"] as? String }
    #expect(!types.contains { $0.contains("connection") }, "\(lines)")
    #expect(types.count { $0 == "turn-finished" } == 1, "\(lines)")
    let journal = try await server.wait { [count = sent.count] in $0.runs.count >= count }
    #expect(journal.runs.map(\.text).sorted() == sent.sorted())
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    // A token is replaced before its end, at the earliest after half a second.
    #expect(Double(server.refreshes) < seconds / 0.5 + 2)
    if Self.asks != nil {
      let streams = journal.requests.count { $0.path.contains(id) && $0.path.hasSuffix("/stream") }
      let rejected = journal.requests.count { $0.status == 401 }
      print(
        "\(sent.count) prompts in \(seconds) s: \(server.refreshes) refreshes, "
          + "\(streams) streams of the follower, \(rejected) requests with an expired token"
      )
    }
  }

  @Test("a chat shows each line once, and no notice of a connection")
  func chat() async throws {
    let (home, server) = try await Self.home()
    let terminal = try await home.chat()
    try await terminal.type("silent\n", see: "sleep 3600")
    let id = try #require(server.journal.runs.first?.sessionID)
    try await Self.expiries(3, server, of: id)
    await server.releaseTool(inSession: id)
    try await terminal.see("turn finished")
    try await terminal.type("two tools\n", see: "Both are done.")
    terminal.type("\u{04}")
    #expect(try await terminal.status() == 0, "\(terminal.lines)")
    #expect(server.journal.runs.map(\.text) == ["silent", "two tools"])
    let calls = terminal.lines.count { $0.contains("tool: started: bash: sleep 3600") }
    #expect(calls == 1, "\(terminal.lines)")
    #expect(!terminal.lines.contains { $0.contains("connect") }, "\(terminal.lines)")
  }
}
