// SPDX-License-Identifier: MIT

import FakeServer
import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import Simulation
import TestSupport
import Testing

@testable import OppiClient
@testable import OppiPrompts
@testable import OppiTestSupport
@testable import OppiTurns

/// `oppi ask` without `--wait`.
@Suite struct AskTests {
  @Test("a prompt is delivered once, and the session id is printed", arguments: Dialect.all)
  func asks(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let outcome = await world.oppi("ask", "-w", "demo", "hello", "there", exits: 0)
      #expect(outcome.errors == "Pi is working on it in demo\n", "\(outcome)")
      try await world.pass()
      #expect(outcome.lines == server.runs.map(\.sessionID), "\(outcome)")
      #expect(server.heard == ["hello there"])
      let quiet = await world.oppi("ask", "-q", "-w", "webapp", "again")
      #expect(quiet.errors.isEmpty && quiet.lines.count == 1, "\(quiet)")
    }
  }

  @Test("--json reports the result of the prompt", arguments: Dialect.all)
  func json(dialect: Dialect) {
    inWorld(dialect) { world, server in
      let model = "anthropic/claude-sonnet-4-6"
      let outcome = await world.oppi(
        "ask",
        "-w",
        "webapp",
        "-m",
        model,
        "-t",
        "high",
        "--json",
        "hi"
      )
      let report = outcome.json
      #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
      #expect(["started", "accepted"].contains(report["state"].string), "\(outcome)")
      #expect(report["workspace"]["name"] == "webapp", "\(outcome)")
      #expect(report["server"]["name"] == "studio", "\(outcome)")
      #expect(report["model"].string == model && report["thinking"] == "high", "\(outcome)")
      try await world.pass()
      let run = try #require(server.runs.first)
      #expect(report["sessionId"].string == run.sessionID, "\(outcome)")
      // A prompt that came with the request for its session has no turn id.
      let isLaunched = run.clientTurnID == nil && dialect.creation == .idempotent
      #expect(isLaunched || report["clientTurnId"].string == run.clientTurnID, "\(outcome)")
    }
  }

  @Test("a prompt for a busy session is queued behind the running turn")
  func queued() {
    inWorld { world, server in
      let id = try await world.session(asking: "deploy")
      let outcome = await world.oppi("ask", "-s", "last", "and then this")
      #expect(outcome.status == 0 && outcome.lines == [id], "\(outcome)")
      #expect(outcome.errors == "queued behind the running turn in demo\n", "\(outcome)")
      let json = await world.oppi("ask", "--session=studio/\(id)", "--json", "and this")
      #expect(json.json["state"] == "queued", "\(json)")
      #expect(server.messages.map(\.json["streamingBehavior"]) == ["followUp", "followUp"])
      #expect(server.heard == ["deploy"])
    }
  }

  @Test("an idle session continues, by any of its names", arguments: Dialect.all)
  func goesOn(dialect: Dialect) {
    inWorld(dialect, where: \.sessionIDPrefix, is: "-") { world, server in
      let id = try await world.session(asking: "one")
      for name in ["last", id, "studio/\(id)", String(id.prefix(6))] {
        await world.oppi("ask", "-q", "--session=\(name)", "more", exits: 0) { $0.lines == [id] }
        try await world.pass()
      }
      #expect(server.sessionsMade == 1)
      #expect(server.heard.count == 5)
    }
  }

  @Test("'last' is the session that may have a prompt, and none that certainly does not have it")
  func last() {
    // An older server creates a session before it gets the prompt.
    inTroubledWorld(.multiplexed) { world, server, trouble in
      let id = try await world.session(asking: "hello")
      trouble.at("/stream", .drop)
      let unsent = await world.oppi("ask", "-w", "demo", "--json", "unsent")
      #expect(unsent.status != 0 && unsent.error["sessionId"].string != nil, "\(unsent)")
      trouble.end()
      #expect(await world.oppi("ask", "-s", "last", "more", exits: 0).lines == [id])
      trouble.begin { $0.isMessage("prompt") ? .ignore : .proceed }
      let unknown = await world.oppi("ask", "-w", "demo", "--json", "unknown", exits: 6)
      trouble.end()
      let next = await world.oppi("ask", "-s", "last", "next", exits: 0)
      #expect(next.lines == [unknown.error["sessionId"].string])
    }
  }

  @Test("a prompt for several workspaces prints a line for each target")
  func several() {
    inWorld { world, server in
      let outcome = await world.oppi("ask", "-w", "demo", "-w", "webapp", "both")
      let targets = outcome.lines.map { String($0.split(separator: "\t")[1]) }
      #expect(outcome.status == 0, "\(outcome)")
      #expect(Set(targets) == ["studio/demo", "studio/webapp"], "\(outcome)")
      let json = await world.oppi("ask", "-w", "demo", "-w", "webapp", "--json", "again")
      let names = json.jsonLines.compactMap { $0["workspace"]["name"].string }
      #expect(Set(names) == ["demo", "webapp"], "\(json)")
      try await world.pass()
      #expect(server.heard.sorted() == ["again", "again", "both", "both"])
      let answer = "The command printed: hi"
      let words = ["ask", "-w", "demo", "-w", "webapp", "--wait", "hello"]
      let waited = await world.oppi(words, exits: 0)
      #expect(Set(waited.lines) == ["studio/demo\t\(answer)", "studio/webapp\t\(answer)"])
      let answers = await world.oppi(words + ["--json"]).jsonLines.map(\.["response"].string)
      #expect(answers == [answer, answer])
    }
  }

  @Test("workspaces with one id on two servers are two targets, also by a part of their names")
  func twins() {
    inWorld { world, _ in
      _ = try await world.addServer(named: "office")
      for name in ["demo", "de"] {
        let words = ["ask", "-n", "-w", "studio/\(name)", "-w", "office/\(name)", "hi"]
        let plan = await world.oppi(words, exits: 0)
        let targets = plan.lines.filter { $0.hasPrefix("to\t") }
        #expect(targets == ["to\tstudio/demo", "to\toffice/demo"], "\(plan)")
      }
    }
  }

  @Test("a dry run resolves everything and sends nothing")
  func dryRun() {
    inWorld { world, server in
      let outcome = await world.oppi("ask", "-n", "-w", "de", "-t", "low", "nothing", exits: 0)
      #expect(
        outcome.lines == [
          "to\tstudio/demo", "model\tworkspace default", "thinking\tlow", "prompt\tnothing",
        ],
        "\(outcome)"
      )
      let json = await world.oppi("ask", "-n", "-w", "de", "--json", "nothing")
      #expect(json.json["state"] == "dry-run", "\(json)")
      #expect(server.messages.isEmpty && server.sessionsMade == 0)
    }
  }

  @Test("an unconfirmed delivery is status 6, and the prompt is not sent with another id")
  func unknown() {
    inTroubledWorld { world, server, trouble in
      let id = try await world.session(asking: "hello")
      trouble.begin { $0.isPrompt ? .ignore : .proceed }
      let outcome = await world.oppi("ask", "--timeout", "5s", "-s", id, "--json", "hello")
      #expect(outcome.status == 6, "\(outcome)")
      #expect(outcome.error["code"] == "delivery-unknown", "\(outcome)")
      #expect(outcome.error["sessionId"].string == id, "\(outcome)")
      #expect(outcome.elapsed <= .milliseconds(5500), "\(outcome)")
      let turns = server.messages.filter { $0.type == "prompt" }.map(\.json["clientTurnId"].string)
      #expect(Set(turns).count == 1, "\(turns)")
    }
  }
}

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
      id: Fingerprint.sample(1),
      name: "studio",
      endpoint: try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: 1))
    )
    server.dialect = dialect
    var outcome = AskOutcome(state: .started, sessionID: "s", clientTurnID: "t", stream: .session)
    outcome.location.isPi = stated
    #expect(outcome.isOfPi(on: server) == isPi)
    outcome.location.workspaceName = "webapp"
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
