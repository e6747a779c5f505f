// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ActivityReducerApprovalTests {
  private var talk = Conversation()

  init() { talk.begin() }

  private var states: [ToolCallState] { talk.activity.toolCalls.map(\.state) }

  private mutating func askForOne() {
    talk.tell(.says(""), .calls("t"), .asks("p"))
  }

  @Test("a request belongs to the latest call of the same tool with the same arguments")
  mutating func matched() {
    talk.tell(.says(""), .calls("a"), .calls("b", "bash", ["command": "rm"]), .calls("c"))
    let changes = talk.tell(.asks("p"))
    let call = if case .approvalRequested(_, let id)? = changes.first { id } else { "" }
    #expect(call == "c")
    #expect(talk.activity.pendingApprovals.map(\.id) == ["p"])
    #expect(talk.tell(.asks("p")).isEmpty)
  }

  @Test("a decision ends only the request that it names")
  mutating func oneOfTwo() {
    talk.tell(.says(""), .calls("t"), .calls("u", "bash", ["command": "rm"]), .asks("p"))
    talk.tell(.asks("q", "bash", ["command": "rm"]))
    #expect(Set(talk.activity.pendingApprovals.map(\.id)) == ["p", "q"])
    let changes = talk.reducer.present.resolve(approval: "p", as: .denied)
    #expect(changes.first == .approvalResolved(id: "p", outcome: .denied))
    #expect(talk.activity.pendingApprovals.map(\.id) == ["q"])
    #expect(talk.reducer.present.resolve(approval: "other", as: .approved).isEmpty)
    #expect(talk.activity.pendingApprovals.map(\.id) == ["q"])
  }

  @Test("output of a pending call shows that another client approved it")
  mutating func approvedElsewhere() {
    askForOne()
    let changes = talk.tell(.prints("t", "a file\n"))
    #expect(changes.first == .approvalResolved(id: "p", outcome: .approved))
    #expect(states == [.running])
    talk.tell(.returns("t"))
    #expect(states == [.succeeded])
  }

  @Test(
    "a rejected call has the server's reason as its output",
    arguments: [
      ("Denied by user", ApprovalOutcome.denied), ("Approval timeout", .expired),
      ("Session ended", .cancelled),
    ]
  )
  mutating func refused(words: String, outcome: ApprovalOutcome) {
    askForOne()
    let changes = talk.tell(.prints("t", words))
    #expect(changes == [.approvalResolved(id: "p", outcome: outcome)])
    talk.tell(.returns("t", isError: true))
    #expect(states == [.rejected(reason: words)])
  }

  @Test("a call that fails after it ran is failed, not rejected")
  mutating func failed() {
    askForOne()
    talk.tell(.prints("t", "boom\n"), .prints("t", "exit 1"), .returns("t", isError: true))
    #expect(states == [.failed])
  }

  @Test("a pending call that ends without output is approved if it succeeded, denied if it failed")
  mutating func wordless() {
    askForOne()
    talk.tell(.returns("t"))
    #expect(states == [.succeeded])
    talk.tell(.calls("u"), .asks("q"))
    let changes = talk.tell(.returns("u", isError: true))
    #expect(changes.first == .approvalResolved(id: "q", outcome: .denied))
    #expect(states.last == .rejected(reason: ""))
  }

  @Test("a request that expires or is cancelled rejects its call", arguments: [true, false])
  mutating func gone(expired: Bool) {
    askForOne()
    let end: ServerMessage.Kind =
      expired ? .permissionExpired(id: "p") : .permissionCancelled(id: "p")
    let outcome: ApprovalOutcome = expired ? .expired : .cancelled
    #expect(talk.tell(end, end) == [.approvalResolved(id: "p", outcome: outcome)])
    #expect(talk.activity.pendingApprovals.isEmpty)
    #expect(talk.tell(.asks("p")).isEmpty)
  }

  @Test("a local decision applies before the tool reports anything")
  mutating func answeredHere() {
    askForOne()
    #expect(
      talk.reducer.present.resolve(approval: "p", as: .approved) == [
        .approvalResolved(id: "p", outcome: .approved)
      ]
    )
    #expect(states == [.running])
    #expect(talk.reducer.present.resolve(approval: "p", as: .denied).isEmpty)
    #expect(!talk.tell(.prints("t", "x")).contains(.approvalResolved(id: "p", outcome: .approved)))
  }

  @Test("a request without a known call creates the call, and later output belongs to it")
  mutating func unknownCall() {
    talk.tell(.asks("p", "bash", ["command": "make"]))
    #expect(talk.activity.toolCalls.first?.arguments == ["command": "make"])
    talk.tell(.prints("t", "ok"), .returns("t"))
    #expect(states == [.succeeded])
    #expect(talk.activity.toolCalls.count == 1)
  }

  @Test("the end of another tool's unknown call does not answer a request without a known call")
  mutating func otherTool() {
    talk.tell(.asks("p", "bash", ["command": "make"]), .returns("x", "grep"))
    #expect(talk.activity.pendingApprovals.map(\.id) == ["p"])
    #expect(states.last == .succeeded && states.count == 2)
  }

  @Test("a request in a session that seemed idle starts a turn")
  mutating func unknownTurn() {
    talk.tell(.says("x"), .agentEnd)
    talk.settle()
    #expect(talk.tell(.asks("p")).first == .turnStarted(isOwn: false))
  }

  @Test("requests of other sessions are ignored")
  mutating func foreign() {
    var request = PermissionRequest.call("p", "ls", in: "s2")
    #expect(talk.tell(.permissionRequest(request)).isEmpty)
    request.sessionID = nil
    let elsewhere = ServerMessage(.permissionRequest(request), sessionID: "s2")
    #expect(talk.reducer.apply(elsewhere, at: talk.now).isEmpty, "only the message names it")
    #expect(talk.activity.pendingApprovals.isEmpty)
    #expect(!talk.tell(.permissionRequest(request)).isEmpty)
  }

  @Test("a request with the same id and another call replaces the first")
  mutating func changed() {
    #expect(!talk.tell(.asks("p")).isEmpty)
    #expect(talk.tell(.asks("p")).isEmpty)
    #expect(!talk.tell(.asks("p", "bash", ["command": "rm -rf /"])).isEmpty)
    #expect(talk.activity.pendingApprovals.map(\.input) == [["command": "rm -rf /"]])
  }

  @Test("a request with a truncated part is not whole")
  mutating func wholeness() {
    let long = String(repeating: "x", count: 200_000)
    let requests: [(tool: String, input: JSONValue, summary: String, isWhole: Bool)] = [
      ("bash", ["command": "ls"], long, true),
      ("bash", ["command": .string(String(long.prefix(100_000)))], "", true),
      ("bash", ["command": .string(long)], "", false),
      ("bash", ["a": "b", "z": [.string(long), "rm"]], "", false),
      (String(repeating: "b", count: 300), ["command": "ls"], "", false),
      ("deploy", .null, "all of it", true),
      ("deploy", .null, long, false),
    ]
    for (index, (tool, input, summary, isWhole)) in requests.enumerated() {
      let request = PermissionRequest(id: "w\(index)", tool: tool, input: input, summary: summary)
      talk.tell(.permissionRequest(request))
      #expect(talk.activity.pendingApprovals.last?.isWhole == isWhole, "\(index)")
    }
  }

  @Test("the end of a turn cancels its pending request")
  mutating func turnEnds() {
    askForOne()
    talk.tell(.stopRequested)
    let changes = talk.tell(.stopConfirmed(reason: nil))
    #expect(changes.first == .approvalResolved(id: "p", outcome: .cancelled))
    #expect(changes.last == .ended(.stopped(reason: nil)))
    #expect(states == [.rejected(reason: "Session ended")])
  }
}
