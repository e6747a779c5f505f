// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// The effect of workspace settings on interactive sessions.
@Suite struct ChatSettingsTests {
  private static func desk(_ change: (inout ChatSettings) -> Void) -> ChatDesk {
    var desk = ChatDesk()
    change(&desk.screen.state.chatSettings)
    return desk
  }

  private static func levels(_ effects: [ChatEffect]) -> [ThinkingLevel] {
    effects.compactMap { effect in
      if case .change(.setThinkingLevel(let level), _) = effect { level } else { nil }
    }
  }

  @Test("the thinking level is set once, if it is set, and does not count as a message")
  func level() throws {
    var plain = Self.desk { _ in }
    #expect(try plain.connect().isEmpty)
    var desk = Self.desk { $0.thinking = .high }
    #expect(Self.levels(try desk.connect()) == [.high])
    #expect(!desk.screen.state.hasTalked)
    #expect(Self.levels(try desk.connect()).isEmpty)
  }

  @Test("a model that differs from the setting is reported once, with the setting's source")
  func otherModel() throws {
    var desk = Self.desk {
      $0.model = "x/y"
      $0.modelSource = .variable("MODEL")
    }
    let told = "the server has no model 'x/y' (from $MODEL) and uses a/b"
    #expect(try desk.connect().printed == [told])
    #expect(try desk.connect().printed == [])
    var same = Self.desk { $0.model = "a/b" }
    #expect(try same.connect().printed == [])
  }

  @Test(
    "a chat uses the model and level of its workspace instead of the global settings",
    arguments: Dialect.all
  )
  func chat(dialect: Dialect) {
    inWorld(dialect) { world, server in
      _ = await world.oppi("config", "set", "model", "openrouter/z.ai/glm-5")
      _ = await world.oppi("config", "set", "-w", "webapp", "model", "anthropic/claude-opus-4-6")
      _ = await world.oppi("config", "set", "-w", "webapp", "thinking", "high")
      let talk = try await ChatTerminal(in: world, "-w", "webapp")
      try await talk.see("thinking: high")
      try await talk.say("hello", see: "The command printed: hi")
      try await talk.say("/model", see: "model: anthropic/claude-opus-4-6")
      try await talk.leave()
      let other = try await ChatTerminal(in: world)
      try await other.say("/model", see: "model: openai-codex/gpt-5.3-codex")
      try await other.leave()
      #expect(server.sessionsMade == 2 && server.sessionsRemoved == 1)
    }
  }

  @Test("a launch creates its session with the model of the workspace")
  func launch() {
    inWorld { world, server in
      _ = await world.oppi("config", "set", "-w", "webapp", "model", "anthropic/claude-opus-4-6")
      _ = await world.oppi("new", "--print-target", "-w", "webapp")
      await world.oppi("launch", "--print", exits: 0)
      let sessions = await world.oppi("sessions", "--json").json["sessions"].array
      #expect(sessions?.map(\.["model"]) == ["anthropic/claude-opus-4-6"])
    }
  }
}
