// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi

/// Whose agent has the prompt.
@Suite struct AskOutcomeTests {
  @Test(
    "the agent is Pi if the server says so, or if the server is older than other agents",
    arguments: [
      (nil, nil, true), (.perSession, nil, true), (.sessionSockets, nil, true),
      (.deviceKeys, nil, false), (.deviceKeys, true, true), (.deviceKeys, false, false),
    ] as [(Dialect?, Bool?, Bool)]
  )
  func agent(dialect: Dialect?, stated: Bool?, isPi: Bool) throws {
    var server = PairedServer(
      id: FleetLife.serverID(1),
      name: "studio",
      endpoint: try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: 1))
    )
    server.dialect = dialect
    var outcome = AskOutcome(
      state: .started,
      sessionID: "s",
      clientTurnID: "t",
      stream: .session
    )
    outcome.place.isPi = stated
    #expect(outcome.isOfPi(on: server) == isPi)
    outcome.place.workspaceName = "webapp"
    let request = AskRequest(Prompt("hi"), to: .session(outcome.session(on: server)))
    #expect(
      outcome.status(of: request, isOnlyOne: true).plain
        == (isPi ? "Pi is working on it in webapp" : "the agent is working in studio/webapp")
    )
  }

  @Test("a session that was created for the prompt gets the defaults, and no other session")
  func defaults() throws {
    let session = ServerSession(server: try PairedServer.sample(1), id: "s", workspaceID: "w")
    var prompt = Prompt("hi")
    prompt.defaults = SessionDefaults(model: "a/b", thinking: .low)
    let created = AskRequest(prompt, to: .emptySession(session))
    #expect(created.level == .low && created.newModel == "a/b")
    let existing = AskRequest(prompt, to: .session(session))
    #expect(existing.level == nil && existing.newModel == nil)
  }
}
