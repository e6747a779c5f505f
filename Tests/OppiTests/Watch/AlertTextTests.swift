// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiTurns

@Suite struct AlertTextTests {
  private static func text(
    command: String,
    risk: Risk? = nil,
    isPrivate: Bool = false
  ) -> AlertText {
    let request = HumanRequest.call("r1", command, reason: "Git push")
    var approval = PendingApproval(request, clockOffset: .zero)
    approval.risk = risk ?? approval.risk
    let alert = Alert.sample(.approval(approval, of: 1))
    return AlertText(alert, request: request, isPrivate: isPrivate) { "at \($0.iso8601)" }
  }

  private static let approve = ApprovalPolicy.Offer("Approve", .decision(.allow))
  private static let deny = ApprovalPolicy.Offer("Deny", .decision(.deny))

  @Test("a short call is shown in full and can be approved")
  func short() {
    let text = Self.text(command: "git push\norigin main")
    #expect(text.summary == "Waiting for approval: studio/webapp")
    #expect(text.body.hasPrefix("bash:\ngit push\norigin main\n"), "\(text)")
    #expect(text.actions == [Self.approve, Self.deny, .open])
  }

  @Test(
    "a long or unreadable call cannot be approved in a notification; only a long one is truncated",
    arguments: [
      (String(repeating: "x", count: 161), true), ("a\nb\nc\nd", true), ("", true),
      (String(repeating: "é", count: 81), true), ("echo \u{202E}hi", false),
      ("echo\u{200B}", false), ("echo a\u{1B}[8m", false), ("touch \u{FDFD}", false),
      ("touch \u{3A9}", false), ("touch \u{5D0}\u{5D1}", false), ("touch é", false),
      ("touch ⚠\u{FE0F}", false), ("touch 1\u{FE0F}", false), ("⚠\u{FE0F} ls", false),
    ]
  )
  func long(command: String, isTruncated: Bool) {
    let text = Self.text(command: command, risk: .read)
    #expect(text.actions == [Self.deny, .open])
    #expect(
      text.body.contains("Truncated; full text: oppi approvals show r1") == isTruncated,
      "\(text)"
    )
  }

  @Test("a high-risk call cannot be approved in a notification", arguments: Risk.allCases)
  func risk(risk: Risk) {
    let text = Self.text(command: "ls", risk: risk)
    #expect(text.actions.contains(Self.approve) == !risk.isHigh)
    #expect(text.body.contains("\(risk.statement)"))
  }

  @Test("the deadline of a request is shown as a local time")
  func deadline() {
    var approval = PendingApproval(id: "r1", tool: "bash", summary: "ls", risk: .read)
    approval.expiresAt = .noon
    let text = AlertText(.sample(.approval(approval, of: 1))) { _ in "12:00:00" }
    #expect(text.body.contains("risk: reads data, auto-denied at 12:00:00"), "\(text)")
    #expect(!text.body.contains("left"))
  }

  @Test("a group of alerts names the workspace and the goal of each session")
  func group() {
    let alerts = (1...2).map { number in
      var session = SessionStatus.sample("S\(number)", .failed)
      session.goal = number == 1 ? "Fix the login" : nil
      return Alert.sample(.failed("no credit"), session)
    }
    let lines = AlertText(alerts).body.split(separator: "\n")
    #expect(lines == ["Turn failed: studio/webapp, Fix the login", "Turn failed: studio/webapp"])
  }

  private static func summary(_ kind: Alert.Kind) -> String {
    AlertText(.sample(kind, .sample("S", .idle))) { _ in "" }.summary
  }

  @Test("the end of a turn is named as it was")
  func ends() {
    let cases: [(Alert.Kind, String)] = [
      (.finished(.finished), "Turn finished"), (.finished(.stopped), "Turn stopped"),
      (.finished(.unknown), "Turn ended, outcome unknown"), (.failed("no credit"), "Turn failed"),
      (.failed("You have hit your usage limit"), "Usage limit reached"),
      (.runningLong, "Running for over an hour"),
    ]
    for (kind, title) in cases { #expect(Self.summary(kind) == "\(title): studio/webapp") }
  }

  @Test("a usage limit is stated once, with its reset if that is known")
  func limit() {
    let reason = "Claude AI usage limit reached|1800000120"
    var session = SessionStatus.sample("S", .failed)
    session.goal = nil
    let unknown = AlertText(.sample(.failed(reason), session)) { _ in "12:00:00" }
    #expect(unknown.body == "Claude AI usage limit reached", "\(unknown)")
    session.turn = TurnSummary(failure: reason, resetAt: .noon, end: .limited)
    let known = AlertText(.sample(.failed(reason), session)) { _ in "12:00:00" }
    #expect(known.body == "resets 12:00:00", "\(known)")
  }

  @Test("the other requests of a session are counted")
  func others() {
    func body(of count: Int) -> String {
      AlertText(.sample(.approval(.sample("r"), of: count))) { _ in "" }.body
    }
    #expect(!body(of: 1).contains("more in this session"))
    #expect(body(of: 2).contains("and 1 more in this session"))
  }

  @Test("a group of alerts lists eight sessions and counts the others; in private, none")
  func largeGroup() {
    func text(of count: Int, isPrivate: Bool = false) -> AlertText {
      let alerts = (1...count).map { number in
        Alert.sample(.failed("no credit"), .sample("S\(number)", .failed))
      }
      return AlertText(alerts, isPrivate: isPrivate)
    }
    let line = "Turn failed: studio/webapp"
    for (count, rest) in [(8, []), (9, ["and 1 more"]), (12, ["and 4 more"])] {
      let text = text(of: count)
      #expect(text.summary == "\(count) session updates" && text.actions.isEmpty)
      let lines = text.body.split(separator: "\n").map(String.init)
      #expect(lines == Array(repeating: line, count: 8) + rest)
    }
    #expect(text(of: 9, isPrivate: true) == AlertText("9 session updates", actions: []))
  }

  @Test("a private alert shows no content and offers no approval")
  func isPrivate() {
    let text = Self.text(command: "git push", isPrivate: true)
    #expect(
      text.summary == "Waiting for approval" && text.body == "studio" && text.actions == [.open]
    )
  }
}
