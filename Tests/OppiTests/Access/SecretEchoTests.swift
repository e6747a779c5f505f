// SPDX-License-Identifier: MIT

import FakeServer
import HTTPCodec
import OppiModel
import Simulation
import Testing

@testable import Oppi

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
    in outcomes: [Program.Outcome],
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
    _ dialect: Dialect,
    _ body: @escaping @Sendable (World, VirtualServer, Trouble) async throws -> Void
  ) {
    let trouble = Trouble()
    inWorld(dialect, isPaired: false) {
      $0.interceptor = trouble.interceptor
      $0.acceptsPlainHTTP = true
    } _: { world, server in
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
      var outcomes: [Program.Outcome] = []
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
      var outcomes: [Program.Outcome] = []
      for words in [["workspaces", "--json"], ["workspaces"], ["workspaces", "--offline"]] {
        outcomes.append(await world.oppi(words))
      }
      #expect(outcomes.last?.output.contains("demo [secret]") == true, "\(outcomes)")
      Self.expectNone(of: try Self.secrets(in: world), in: outcomes, world)
    }
  }

  @Test("in a message of a stream, and in the record of the outbox", arguments: Dialect.both)
  func streams(dialect: Dialect) {
    inEchoWorld(dialect) { world, server, trouble in
      let secrets = try Self.secrets(in: world)
      trouble.begin { step in
        guard case .message(let message, _) = step, step.isMessage("prompt") else {
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
