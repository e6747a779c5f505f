// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiSystem
import OppiText
import OppiWire
import Simulation
import Testing

@testable import OppiTestSupport

/// A server that repeats what authorizes us, in all that it says.
@Suite struct SecretEchoTests {
  /// What must not be repeated: the header of a request.
  private static func secret(of step: Step) -> String? {
    guard case .request(let request, _) = step else { return nil }
    return request.headers["Authorization"]?.split(separator: " ").last.map(String.init)
  }

  /// Expects that no token is in a text, or in a file other than those of the credentials.
  private static func expectNone(
    of secrets: [String],
    in outcomes: [Simulation.Program.Outcome],
    _ world: World
  ) {
    for secret in secrets {
      for outcome in outcomes {
        #expect(!outcome.output.contains(secret) && !outcome.errors.contains(secret), "\(outcome)")
      }
      for path in world.disk.paths
      where !path.hasSuffix("/credentials.json") && !path.hasSuffix("/access-tokens.json") {
        let text = String(decoding: world.disk.contents(of: path) ?? [], as: UTF8.self)
        #expect(!text.contains(secret), "\(path)")
      }
    }
  }

  private func inEchoWorld(
    _ dialect: Dialect = .deviceKeys,
    _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
  ) {
    inTroubledWorld(dialect, isPaired: false) {
      $0.acceptsPlainHTTP = true
    } _: { world, server, trouble in
      let pair = await world.oppi("pair", try #require(server.inviteText()))
      try #require(pair.status == 0, "\(pair)")
      try await body(world, server, trouble)
    }
  }

  /// The tokens in the files of the credentials.
  private static func secrets(in world: World) throws -> [String] {
    let files = world.disk.paths.filter {
      $0.hasSuffix("/credentials.json") || $0.hasSuffix("/access-tokens.json")
    }
    let texts = try files.flatMap { path in
      strings(in: try JSONValue(parsing: world.disk.contents(of: path) ?? []))
    }
    return texts.filter { $0.utf8.count > 20 && !$0.hasPrefix("dev_") }
  }

  private static func strings(in json: JSONValue) -> [String] {
    if let text = json.string { return [text] }
    return (json.array ?? json.object?.map(\.value) ?? []).flatMap(strings)
  }

  @Test("in an error, also of a queued prompt", arguments: [Dialect.multiplexed, .deviceKeys])
  func errors(dialect: Dialect) {
    inEchoWorld(dialect) { world, server, trouble in
      let secrets = try Self.secrets(in: world)
      try #require(!secrets.isEmpty)
      trouble.begin { step in
        guard let secret = Self.secret(of: step) else { return .proceed }
        let others = secrets.joined(separator: " ")
        return .answer(status: 500, error: "no access by \(secret), nor by \(others)")
      }
      var outcomes: [Simulation.Program.Outcome] = []
      for words in [
        ["ask", "-w", "demo", "hello"], ["ask", "-w", "demo", "--queue", "--key", "k", "hello"],
        ["outbox", "flush"], ["outbox", "--json"], ["sessions", "--json"], ["approvals", "-v"],
        ["servers", "test", "--json"], ["doctor", "--json"],
      ] {
        outcomes.append(await world.oppi(words))
      }
      #expect(outcomes.contains { $0.errors.contains("no access by [secret], nor by [secret]") })
      Self.expectNone(of: secrets, in: outcomes, world)
    }
  }

  @Test(
    "in names of workspaces, and in their cache",
    arguments: [Dialect.multiplexed, .deviceKeys]
  )
  func names(dialect: Dialect) {
    inEchoWorld(dialect) { world, server, trouble in
      trouble.begin { step in
        guard let secret = Self.secret(of: step), step.isRequest("/workspaces") else {
          return .proceed
        }
        let workspace: JSONValue = ["id": "qX3dEmo0", "name": .string("demo \(secret)")]
        return .answer(json: ["workspaces": [workspace]])
      }
      var outcomes: [Simulation.Program.Outcome] = []
      for words in [["workspaces", "--json"], ["workspaces"], ["workspaces", "--offline"]] {
        outcomes.append(await world.oppi(words))
      }
      #expect(outcomes.last?.output.contains("demo [secret]") == true, "\(outcomes)")
      Self.expectNone(of: try Self.secrets(in: world), in: outcomes, world)
    }
  }

  /// What each surface shows of a pending call, and a chat of its session.
  private static func surfaces(_ session: String, _ world: World) async throws -> [String: String] {
    var texts: [String: String] = [:]
    texts["show"] = await world.oppi("approvals", "show", "call00001111").output
    texts["list"] = await world.oppi("approvals").output
    texts["completion"] = await world.oppi("__complete", "--", "approve", "").output

    let console = world.start(["console"], columns: 200)
    try await console.see("bash")
    try await console.type("2" + ChatTerminal.down, see: "bash")
    try await console.type(ChatTerminal.enter, see: "waiting for approval")
    texts["console"] = console.lines.joined(separator: "\n")
    try await leave(console, world)

    let batch = world.start(["approvals", "--decide"], columns: 200)
    try await batch.see("bash: echo")
    texts["decide"] = batch.lines.joined(separator: "\n")
    try await leave(batch, world)

    let menu = world.start(["console", "--accessible"], columns: 200, rows: 200)
    try await menu.see("main menu")
    for (line, words) in [("2", "bash: echo"), ("1", "call: echo")] {
      try await world.pass(.seconds(2))
      try await menu.type(line + ChatTerminal.enter, see: words)
    }
    texts["accessible"] = menu.lines.joined(separator: "\n")
    try await leave(menu, world)

    let person = MenuUser(in: world, "! ", nil)
    _ = await world.pick("approvals")
    texts["pick"] = person.seen.joined().joined(separator: "\n")

    let watching = try await Watching(in: world)
    texts["notification"] = watching.desktop.shown.map { "\($0.summary) \($0.body)" }.joined()
    _ = await watching.end()

    let chat = try await ChatTerminal(in: world, "-s", session)
    texts["chat"] = chat.lines.joined(separator: "\n")
    try await leave(chat.terminal, world)
    return texts
  }

  private static func leave(_ terminal: VirtualTerminal, _ world: World) async throws {
    for _ in 0..<3 {
      terminal.type(ChatTerminal.interrupt)
      try await world.pass(.seconds(1))
    }
  }

  @Test("on no surface, and no hidden character either")
  func everySurface() {
    inEchoWorld(.gated) { world, server, trouble in
      let secret = try #require(try Self.secrets(in: world).first)
      let session = try await world.session(asking: "hello \(secret)")
      let command = JSONValue.string("echo \u{202E}\(secret)")
      let call: JSONValue = [
        "id": "call00001111", "sessionId": .string(session), "tool": "bash",
        "input": ["command": command], "displaySummary": command, "timeoutAt": 1, "expires": false,
      ]
      let pending: JSONValue = ["pending": [call], "serverTime": 1]
      trouble.at("/pending", .answer(json: pending))
      let texts = try await Self.surfaces(session, world)
      for (surface, text) in texts {
        #expect(text.contains("[secret]"), "\(surface): \(text)")
        #expect(!text.contains(secret), "\(surface): \(text)")
        #expect(!text.unicodeScalars.contains("\u{202E}"), "\(surface): \(text)")
        guard surface != "chat" else { continue }
        #expect(text.contains(#"\u{202E}"#), "\(surface): \(text)")
      }
    }
  }

  @Test("in a message of a stream, and in the record of the outbox", arguments: Dialect.both)
  func streams(dialect: Dialect) {
    inEchoWorld(dialect) { world, server, trouble in
      let secrets = try Self.secrets(in: world)
      trouble.begin { step in
        guard case .message(let message, _) = step, step.isPrompt else {
          return .proceed
        }
        return .refuse(message, error: "no model for \(secrets[0])")
      }
      let outcomes = [
        await world.oppi("ask", "-w", "demo", "hello"),
        await world.oppi("ask", "-w", "demo", "--queue", "--key", "k", "hello"),
        await world.oppi("outbox", "--json"),
      ]
      #expect(outcomes[0].errors.contains("no model for [secret]"), "\(outcomes[0])")
      Self.expectNone(of: secrets, in: outcomes, world)
    }
  }
}
