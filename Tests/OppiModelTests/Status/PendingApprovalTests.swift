// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

/// Requests with the deadlines of a server whose clock differs from the local one.
@Suite struct PendingApprovalTests {
  private static func request(
    tool: String = "bash",
    input: JSONValue = ["command": "ls"],
    summary: String = "ls",
    timeoutAt: Timestamp? = .noon
  ) -> PermissionRequest {
    PermissionRequest(
      id: "p1",
      sessionID: "S",
      tool: tool,
      input: input,
      summary: summary,
      timeoutAt: timeoutAt
    )
  }

  @Test(
    "a deadline is converted from the server's clock to the local clock",
    arguments: [-86_400, -600, -1, 0, 1, 600, 86_400]
  )
  func offset(ahead: Int) {
    // The server's clock is at noon plus `ahead` seconds, and 60 s remain.
    let deadline = Timestamp.noon.moved(by: .seconds(ahead + 60))
    let approval = PendingApproval(
      .permission(Self.request(timeoutAt: deadline)),
      clockOffset: .seconds(ahead)
    )
    #expect(approval.expiresAt == .ago(-60))
    #expect(approval.secondsLeft(at: .noon) == 60)
    #expect(!approval.hasExpired(at: .ago(-59)) && approval.hasExpired(at: .ago(-60)))
  }

  @Test("a request without a deadline never expires")
  func endless() {
    let approval = PendingApproval(
      .permission(Self.request(timeoutAt: nil)),
      clockOffset: .seconds(600)
    )
    #expect(approval.expiresAt == nil && approval.secondsLeft(at: .noon) == nil)
    #expect(!approval.hasExpired(at: Timestamp(milliseconds: .max)))
  }

  @Test("a request expires at its deadline, and not a millisecond earlier")
  func deadline() {
    let approval = PendingApproval.sample("p1", expiresAt: .noon)
    #expect(!approval.hasExpired(at: Timestamp.noon.moved(by: .milliseconds(-1))))
    #expect(approval.hasExpired(at: .noon))
    #expect(approval.secondsLeft(at: Timestamp.noon.moved(by: .milliseconds(-1))) == 0)
    #expect(approval.secondsLeft(at: .ago(1)) == 1)
    #expect(approval.secondsLeft(at: .ago(-5)) == 0)
  }

  @Test("requests are sorted by risk, then by deadline, then by id")
  func order() {
    let sorted: [PendingApproval] = [
      .sample("z", .high), .sample("b", .destructive, expiresAt: .ago(-1)),
      .sample("a", .destructive, expiresAt: .ago(-2)),
      .sample("c", .destructive, expiresAt: .ago(-2)),
      .sample("d", .destructive), .sample("e", .write), .sample("a", .read, expiresAt: .noon),
    ]
    #expect(sorted.shuffled().sorted() == sorted)
  }

  @Test("the times of a session are converted to the local clock", arguments: [-600, 0, 600])
  func session(ahead: Int) {
    let session = Session.sample("S", lastActivity: .ago(30 - ahead))
    let turn = TurnSummary(startedAt: .ago(50 - ahead), endedAt: .ago(30 - ahead))
    let status = SessionStatus(
      session,
      clockOffset: .seconds(ahead),
      approvals: [],
      turn: turn,
      question: nil
    )
    #expect(status.lastActivity == .ago(30))
    #expect(status.turn?.startedAt == .ago(50) && status.turn?.endedAt == .ago(30))
  }

  @Test(
    "a failure of the last turn counts in a loaded and in an ended session that does not wait",
    arguments: [
      ("ready", .idle, .failed), ("stopped", .done, .failed), ("error", .failed, .failed),
      ("busy", .running, .running), ("stopping", .running, .running),
    ] as [(String, SessionPhase, SessionPhase)]
  )
  func phases(status: String, phase: SessionPhase, afterFailure: SessionPhase) {
    func found(_ failure: String?, pendingCount: Int = 0) -> SessionPhase {
      SessionStatus(
        Session.sample("S", status, pendingCount: pendingCount),
        clockOffset: .zero,
        approvals: [],
        turn: TurnSummary(failure: failure),
        question: nil
      ).phase
    }
    #expect(found(nil) == phase && found("no credit") == afterFailure)
    #expect(found("no credit", pendingCount: 1) == .waiting)
  }

  @Test("a call of which nothing is known can only be denied")
  func unknown() {
    let known = [
      Self.request(input: [:], summary: ""), Self.request(input: .null, summary: "ls"),
    ]
    for request in known { #expect(request.isWhole, "\(request)") }
    let request = Self.request(input: .null, summary: "")
    #expect(!request.isWhole && request.risk == .high)
  }

  @Test("two requests propose the same call only if all their content is equal")
  func sameCall() {
    let request = Self.request()
    let others = [
      Self.request(tool: "write"), Self.request(input: ["command": "ls "]),
      Self.request(input: ["command": "ls", "timeout": 1]), Self.request(summary: "ls -a"),
    ]
    // The Greek question mark is equal to a semicolon as a character, and no semicolon for a shell.
    let (mark, semicolon) = (["command": "ls\u{37E}"], ["command": "ls;"]) as (JSONValue, JSONValue)
    #expect(mark == semicolon)
    #expect(!Self.request(input: mark).isAbout(sameAs: Self.request(input: semicolon)))
    // Members have no order.
    let (one, other): (JSONValue, JSONValue) = (["a": 1, "b": 2], ["b": 2, "a": 1])
    #expect(Self.request(input: one).isAbout(sameAs: Self.request(input: other)))
    for other in others {
      #expect(!request.isAbout(sameAs: other), "\(other)")
      #expect(
        HumanRequest.permission(other).digest != HumanRequest.permission(request).digest,
        "\(other)"
      )
    }
    // The stored parts of both requests are equal.
    let tool = String(repeating: "t", count: 200)
    #expect(!Self.request(tool: tool).isAbout(sameAs: Self.request(tool: tool + "t")))
    var later = request
    later.timeoutAt = .ago(-60)
    #expect(request.isAbout(sameAs: later))
    #expect(HumanRequest.permission(later).digest == HumanRequest.permission(request).digest)
  }
}

/// Sessions with pending dialogs in the summary of all sessions and in its file.
@Suite struct PendingDialogTests {
  private static func dialog(
    _ id: String,
    _ method: String,
    _ title: String = "Go on?",
    expiresAt: Timestamp? = nil
  ) -> PendingApproval {
    let question = UserQuestion(id: id, method: method, body: ["title": .string(title)])
    var approval = PendingApproval(.question(question), clockOffset: .zero)
    approval.expiresAt = expiresAt
    return approval
  }

  @Test("a confirm counts as an approval, and other dialogs count as questions")
  func counts() {
    let approvals = [
      Self.dialog("a", "confirm"), Self.dialog("b", "select"), Self.dialog("c", "input"),
    ]
    let state = ContentState.of(.sample("S", .waiting, approvals: approvals))
    #expect(state.status == .awaitingApproval && state.approval?.id == "a")
    #expect(state.pendingApprovals == 1 && state.pendingQuestions == 2)
  }

  @Test("dialogs that a server only counts are questions, besides the listed ones")
  func counted() {
    var session = SessionStatus.sample("S", .waiting)
    session.pendingCount = 3
    #expect(ContentState.of(session).pendingQuestions == 3)
    // The server also counts what it lists.
    session.approvals = [Self.dialog("a", "select"), Self.dialog("b", "confirm")]
    #expect(ContentState.of(session).pendingQuestions == 1)
  }

  @Test("the kind of a dialog survives the status file, and an earlier file has tool calls")
  func file() throws {
    let dialog = Self.dialog("a", "select")
    let json = PendingApproval.shape.json(of: dialog)
    #expect(PendingApproval.shape.record(from: json)?.kind == .select)
    let earlier: JSONValue = ["id": "p", "tool": "bash", "summary": "ls", "risk": "read"]
    #expect(PendingApproval.shape.record(from: earlier)?.kind == .permission)
  }

  @Test("a request survives the status file; what it needs and its risk may be missing in it")
  func needs() throws {
    let risks: [Risk?] = Risk.allCases + [nil]
    for (need, risk) in RequestNeed.allCases.flatMap({ need in risks.map { (need, $0) } }) {
      var dialog = Self.dialog("a", "select", expiresAt: .noon)
      (dialog.needs, dialog.risk) = (need, risk)
      let read = try #require(
        PendingApproval.shape.record(from: PendingApproval.shape.json(of: dialog))
      )
      #expect(read == dialog)
    }
    for (kind, need) in [
      ("permission", .approval), ("confirm", .approval), ("select", .answer), ("ask", .answer),
    ] as [(String, RequestNeed)] {
      let earlier: JSONValue = ["id": "p", "kind": .string(kind), "risk": "newer"]
      let read = PendingApproval.shape.record(from: earlier)
      #expect(read?.needs == need && read?.risk == (kind == "permission" ? .high : nil))
    }
  }
}
