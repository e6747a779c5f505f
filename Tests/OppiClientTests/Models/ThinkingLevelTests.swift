// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiText
import OppiWire
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// The check of a thinking level against those of the model.
@Suite struct ThinkingLevelTests {
  private static func list(_ levels: [JSONValue]) -> Intervention {
    .answer(json: ["models": [["id": "acme/big-1", "thinkingLevels": .array(levels)]]])
  }

  private static let words = ["ask", "-w", "demo", "-m", "acme/big-1", "-t"]
  private static let sentence =
    "model 'acme/big-1' has no thinking level 'max'; it has low, medium, high"

  @Test(
    "a level that the model does not have is refused, and nothing is sent",
    arguments: Dialect.all,
    [[], ["--wait"], ["--queue"], ["--dry-run"]]
  )
  func refused(dialect: Dialect, more: [String]) {
    inTroubledWorld(dialect) { world, server, trouble in
      trouble.at("/models", Self.list(["low", "medium", "high"]))
      let outcome = await world.oppi(Self.words + ["max"] + more + ["hi"], exits: 65)
      #expect(outcome.errors.contains(Self.sentence), "\(outcome)")
      #expect(outcome.errors.contains("oppi models"), "\(outcome)")
      #expect(server.heard.isEmpty && server.sessionsMade == 0)
      #expect(await world.oppi("outbox", "list", "--json").json["prompts"] == [])
    }
  }

  @Test(
    "a level that the model has, and one that is not known, is sent",
    arguments: [["low", "max"], []] as [[JSONValue]]
  )
  func sent(levels: [JSONValue]) {
    inTroubledWorld(.sessionSockets) { world, server, trouble in
      trouble.at("/models", Self.list(levels))
      let outcome = await world.oppi(Self.words + ["max", "--dry-run", "hi"], exits: 0)
      #expect(outcome.output.contains("thinking\tmax"), "\(outcome)")
    }
  }

  @Test("a stored list is requested again only if it lacks the level")
  func stored() {
    inTroubledWorld(.sessionSockets) { world, server, trouble in
      var asked: Int { server.requests.count { $0.path == "/models" } }
      trouble.at("/models", Self.list(["low"]))
      await world.oppi("models", exits: 0)
      let count = asked
      await world.oppi(Self.words + ["low", "--dry-run", "hi"], exits: 0)
      #expect(asked == count)
      trouble.at("/models", Self.list(["low", "max"]))
      await world.oppi(Self.words + ["max", "--dry-run", "hi"], exits: 0)
      #expect(asked == count + 1)
      await world.oppi("ask", "-w", "demo", "-t", "high", "hi", exits: 0)
      #expect(asked == count + 1)
    }
  }

  @Test("a level that the server refuses has the remedy")
  func refusedByServer() {
    inTroubledWorld(.sessionSockets) { world, server, trouble in
      let answer = Intervention.answer(status: 400, error: "Invalid thinking level")
      trouble.at("/sessions", answer)
      let outcome = await world.oppi("ask", "-w", "demo", "-t", "max", "hi", exits: 65)
      #expect(outcome.errors.contains("refused the request (400): Invalid thinking level"))
      #expect(outcome.errors.contains("oppi models --fields id,thinkingLevels"), "\(outcome)")
      #expect(server.heard.isEmpty)
    }
  }

  @Test("a new session of a chat checks the level of its workspace")
  func newChat() {
    inTroubledWorld(.sessionSockets) { world, server, trouble in
      trouble.at("/models", Self.list(["low"]))
      for (key, value) in [("model", "acme/big-1"), ("thinking", "max")] {
        await world.oppi("config", "set", "-w", "demo", key, value, exits: 0)
      }
      let outcome = try await world.oppi(["chat", "-w", "demo"], as: .terminal)
      #expect(outcome.status == 65 && server.sessionsMade == 0, "\(outcome)")
      #expect(outcome.errors.contains("it has low"), "\(outcome)")
    }
  }

  @Test("/thinking refuses a level that the model is known not to have")
  func chat() throws {
    var desk = ChatDesk()
    _ = try desk.connect()
    let model = try #require(desk.screen.state.session?.model)
    let json: JSONValue = ["id": .string(model), "thinkingLevels": ["low", "medium"]]
    desk.screen.state.models = [try #require(LanguageModel(json: json))]
    let refused = desk.screen.state.perform(.thinking, "max", at: .zero)
    #expect(refused.count == 1)
    guard case .say(let words)? = refused.first else { throw Missing() }
    #expect(words.hasPrefix("model '\(model)' has no thinking level 'max'; it has low, medium"))
    for level in ["low", "medium"] {
      let effects = desk.screen.state.perform(.thinking, level, at: .zero)
      guard case .change(.setThinkingLevel, _)? = effects.first else { throw Missing() }
    }
    desk.screen.state.models = []
    guard case .change? = desk.screen.state.perform(.thinking, "max", at: .zero).first else {
      throw Missing()
    }
  }

  private struct Missing: Error {}
}
