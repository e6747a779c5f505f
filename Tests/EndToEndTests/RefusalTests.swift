// SPDX-License-Identifier: MIT

import Foundation
import LoopbackServer
import OppiModel
import ProgramTestSupport
import TestSupport
import Testing

/// What a server will not do, or does otherwise than it was asked to.
@Suite(.fewAtOnce) struct RefusalTests {
  @Test("a full server is 75, and the session that was made in vain is gone", arguments: Line.plain)
  func full(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.limits.loadedSessionsPerWorkspace = 1 }
    let first = try await home.session(asking: "one")
    for words in [[], ["--wait"]] {
      let outcome = try await home.oppi(["ask", "-w", "demo", "--json", "two"] + words)
      #expect(outcome.status == 75, "\(outcome)")
      let error = try outcome.error()
      #expect(error["code"] as? String == "no-room", "\(outcome)")
      let serverCode = line == .perSessionHTTP ? "SESSION_LIMIT_WORKSPACE" : nil
      #expect(error["serverCode"] as? String == serverCode, "\(outcome)")
      #expect(error["sessionId"] == nil, "\(outcome)")
      #expect(try server.sessionIDs() == [first])
    }
    #expect(server.journal.runs.map(\.text) == ["one"])
  }

  @Test("an old session that a full server does not load is kept", arguments: Line.plain)
  func fullForOld(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.limits.loadedSessionsPerWorkspace = 1 }
    let first = try await home.session(asking: "one", "--wait")
    _ = try await home.oppi("stop", "--session", first)
    let second = try await home.session(asking: "two")
    let outcome = try await home.oppi("ask", "--session=\(first)", "--json", "three")
    #expect(outcome.status == 75, "\(outcome)")
    #expect(try outcome.error()["code"] as? String == "no-room", "\(outcome)")
    #expect(Set(try server.sessionIDs()) == [first, second])
  }

  @Test("a prompt that the agent refuses takes only a session with it that was made for it")
  func agentRefuses() async throws {
    let home = try Home()
    let server = try await home.paired()
    let new = try await home.oppi("ask", "-w", "demo", "--json", "refuse")
    #expect(new.status == 1, "\(new)")
    #expect(try new.error()["code"] as? String == "prompt-refused", "\(new)")
    #expect(new.errors.contains("No API key found"), "\(new)")
    #expect(try server.sessionIDs().isEmpty)
    let old = try await home.session(asking: "hello", "--wait")
    let again = try await home.oppi("ask", "--session=\(old)", "--json", "refuse")
    #expect(again.status == 1, "\(again)")
    #expect(try again.error()["sessionId"] as? String == old, "\(again)")
    #expect(try server.sessionIDs() == [old])
  }

  @Test(
    "an agent that cannot start is 69 in the server's words, and leaves nothing",
    arguments: Line.plain
  )
  func startFails(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let workspace = server.configuration.workspaces[0].id
    await server.setStartFailure("Workspace path does not exist: /srv/demo", inWorkspace: workspace)
    let outcome = try await home.oppi("ask", "-w", "demo", "--json", "hi")
    #expect(outcome.status == 69, "\(outcome)")
    #expect(try outcome.error()["code"] as? String == "agent-not-started", "\(outcome)")
    #expect(outcome.errors.contains("path does not exist: /srv/demo"), "\(outcome)")
    #expect(try server.sessionIDs().isEmpty)
    #expect(server.journal.runs.isEmpty)
  }

  @Test("an unknown model is warned of, and both models are reported", arguments: Line.plain)
  func unknownModel(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let outcome = try await home.oppi("ask", "-w", "demo", "-m", "acme/big-1", "--json", "hi")
    #expect(outcome.status == 0, "\(outcome)")
    let took = try #require(try outcome.json()["model"] as? String, "\(outcome)")
    #expect(took != "acme/big-1")
    #expect(try outcome.json()["requestedModel"] as? String == "acme/big-1", "\(outcome)")
    #expect(outcome.errorLines.count == 1, "\(outcome)")
    #expect(outcome.errors.contains("acme/big-1") && outcome.errors.contains(took), "\(outcome)")
    #expect(server.journal.runs.count == 1)
  }

  @Test("medium is sent to a session that thinks at another level", arguments: Line.plain)
  func mediumAgain(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let id = try await home.session(asking: "one", "--wait", "-t", "high")
    let outcome = try await home.oppi("ask", "--session=\(id)", "-t", "medium", "--json", "two")
    #expect(try outcome.json()["thinking"] as? String == "medium", "\(outcome)")
    let levels = server.journal.messages.filter { $0.type == "set_thinking_level" }
    #expect(levels.map { $0.json["level"] } == ["high", "medium"])
    #expect(try server.get(server.path(id)).json["session"]["thinkingLevel"] == "medium")
  }

  @Test("a server that is not the one of the invite is refused, and nothing of it is kept")
  func otherIdentity() async throws {
    let server = try await Line.multiplexedHTTP.start()
    let home = try Home()
    let other = Fingerprint(digest: [UInt8](repeating: 7, count: 32)).text
    let invite = server.makeInvite().json.replacing(server.fingerprint.text, with: other)
    try #require(invite.contains(other))
    let outcome = try await home.oppi("pair", "--json", "-", input: invite)
    #expect(outcome.status == 77, "\(outcome)")
    #expect(try outcome.error()["code"] as? String == "identity-mismatch", "\(outcome)")
    #expect((try? String(contentsOf: home.servers, encoding: .utf8)) == nil)
    #expect((try? String(contentsOf: home.credentials, encoding: .utf8)) == nil)
  }

  @Test(
    "of several asks one whose delivery is unknown does not hide behind another's failure",
    arguments: Line.plain,
    ["demo", "webapp"]
  )
  func unknownAmongSeveral(line: Line, lost: String) async throws {
    let home = try Home()
    let server = try await home.paired(line) { configuration in
      configuration.interceptor = { $0.isMessage("prompt") ? .ignore : .proceed }
    }
    let workspaces = server.configuration.workspaces
    for workspace in workspaces where workspace.name != lost {
      await server.setStartFailure("no such folder", inWorkspace: workspace.id)
    }
    let words = ["ask", "-w", "demo", "-w", "webapp", "--timeout", "2s", "hello"]
    let text = try await home.oppi(words)
    #expect(text.status == 6, "\(text)")
    // What is printed last stands where it is looked for.
    #expect(text.errors.contains("no such folder"), "\(text)")
    let last = text.errorLines.last { $0.hasPrefix("oppi: ") }
    #expect(last?.contains("studio/\(lost): delivery unknown") == true, "\(text)")
    let json = try await home.oppi(words + ["--json"])
    #expect(json.status == 6, "\(json)")
    #expect(try json.error()["code"] as? String == "delivery-unknown", "\(json)")
    #expect(try json.error()["status"] as? Int == 6, "\(json)")
  }

  @Test(
    "of several asks the one that failed is named, for programs, too",
    arguments: Line.plain
  )
  func oneOfSeveral(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line)
    let webapp = server.configuration.workspaces[1].id
    await server.setStartFailure("no such folder", inWorkspace: webapp)
    let lines = try await home.oppi("ask", "-w", "demo", "-w", "webapp", "--wait", "hello")
    #expect(lines.status == 69, "\(lines)")
    #expect(lines.output == "studio/demo\tThe command printed: hi\n", "\(lines)")
    #expect(lines.errors.contains("studio/webapp: "), "\(lines)")
    let json = try await home.oppi("ask", "-w", "demo", "-w", "webapp", "--wait", "--json", "hello")
    let documents = try json.jsonLines()
    let failed = documents.first { $0["state"] as? String == "failed" }
    #expect(documents.count == 2, "\(json)")
    #expect((failed?["workspace"] as? [String: Any])?["name"] as? String == "webapp", "\(json)")
  }

  @Test(
    "a start that takes longer than --timeout leaves the delivery unknown",
    arguments: Line.plain
  )
  func slowStart(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.agentStartDelay = .seconds(1) }
    let outcome = try await home.oppi("ask", "-w", "demo", "--timeout", "500ms", "--json", "hello")
    #expect(outcome.status == 6, "\(outcome)")
    let id = try #require(try outcome.error()["sessionId"] as? String, "\(outcome)")
    // It does run, so that a repeat would have been the second.
    try await server.wait { !$0.runs.isEmpty }
    #expect(server.journal.runs.map(\.sessionID) == [id])
    let waiting = try await home.oppi("ask", "-w", "demo", "--wait", "hello")
    #expect(waiting.output == "The command printed: hi\n", "\(waiting)")
  }

  @Test(
    "--timeout that passes in a slow start is 124 for whoever waits for the turn",
    arguments: Line.plain
  )
  func slowStartOfWait(line: Line) async throws {
    let home = try Home()
    let server = try await home.paired(line) { $0.agentStartDelay = .seconds(1) }
    let outcome = try await home.oppi("ask", "-w", "demo", "--wait", "--timeout", "500ms", "hello")
    #expect(outcome.status == 124, "\(outcome)")
    try await server.wait { !$0.runs.isEmpty }
  }
}
