// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

@Suite struct ApprovalPolicyTests {
  private typealias Obstacle = ApprovalPolicy.Obstacle
  private typealias Surface = ApprovalPolicy.Surface

  /// The kinds of requests that the policy distinguishes.
  private enum Call: CaseIterable {
    /// Risk: read.
    case harmless
    /// Risk: high.
    case risky
    /// Risk: read, but too long for a glance.
    case long
    /// Truncated, so its risk is high.
    case incomplete

    var request: PermissionRequest {
      let command =
        switch self {
        case .harmless: "ls"
        case .risky: "sudo rm -rf /"
        case .long: "ls " + String(repeating: "x", count: 158)
        case .incomplete: String(repeating: "x", count: 200_000)
        }
      return ApprovalPolicyTests.request(["command": .string(command)])
    }
  }

  private static func request(_ input: JSONValue, tool: String = "bash") -> PermissionRequest {
    PermissionRequest(id: "r", tool: tool, input: input, summary: "a call")
  }

  private static func menu(_ visibleRows: Int?, _ listedRisk: Risk = .read) -> Surface {
    .menu(listedRisk: listedRisk, callRows: 3, visibleRows: visibleRows)
  }

  private static let button = Surface.notification(listedRisk: .read)

  private static func obstacle(
    to decision: PermissionDecision,
    _ request: PermissionRequest,
    on surface: Surface
  ) -> Obstacle? {
    ApprovalPolicy.obstacle(to: .decision(decision), .permission(request), on: surface)
  }

  /// The obstacle to an approval by surface and kind of call, once and for the session.
  private static let table: [(Surface, Call, once: Obstacle?, session: Obstacle?)] = [
    (.command, .harmless, nil, nil),
    (.command, .risky, nil, nil),
    (.command, .long, nil, nil),
    (.command, .incomplete, .incomplete, .incomplete),
    (.panel(isWholeShown: true), .harmless, nil, nil),
    (.panel(isWholeShown: true), .risky, nil, nil),
    (.panel(isWholeShown: true), .long, nil, nil),
    (.panel(isWholeShown: true), .incomplete, .incomplete, .incomplete),
    (.panel(isWholeShown: false), .harmless, .notAllShown, .notAllShown),
    (.panel(isWholeShown: false), .risky, .notAllShown, .notAllShown),
    (.panel(isWholeShown: false), .long, .notAllShown, .notAllShown),
    (.panel(isWholeShown: false), .incomplete, .incomplete, .incomplete),
    (menu(7), .harmless, nil, .scopeNotOffered),
    (menu(7), .risky, .highRisk, .scopeNotOffered),
    (menu(7), .long, .notShownInFull, .scopeNotOffered),
    (menu(7), .incomplete, .incomplete, .incomplete),
    (menu(6), .harmless, .notShownInFull, .scopeNotOffered),
    (menu(nil), .harmless, .notShownInFull, .scopeNotOffered),
    (menu(7, .destructive), .harmless, .highRisk, .scopeNotOffered),
    (button, .harmless, nil, .scopeNotOffered),
    (button, .risky, .highRisk, .scopeNotOffered),
    (button, .long, .notShownInFull, .scopeNotOffered),
    (button, .incomplete, .incomplete, .incomplete),
  ]

  @Test("each surface approves according to the table, and denies every call")
  func surfaces() {
    for (surface, call, once, session) in Self.table {
      let request = call.request
      #expect(
        Self.obstacle(to: .allow, request, on: surface) == once,
        "\(surface) \(call)"
      )
      #expect(
        Self.obstacle(to: .allowForSession, request, on: surface) == session,
        "\(surface) \(call)"
      )
      #expect(Self.obstacle(to: .deny, request, on: surface) == nil)
    }
  }

  @Test("only a command approves for all sessions, and nothing approves an incomplete request")
  func everywhere() {
    for (surface, _, _, _) in Self.table {
      for call in Call.allCases {
        let obstacle = Self.obstacle(to: .allowEverywhere, call.request, on: surface)
        let isPossible = surface == .command && call != .incomplete
        #expect((obstacle == nil) == isPossible, "\(surface) \(call)")
      }
    }
  }

  @Test("menus and notifications do not approve calls listed as destructive or high")
  func listedRisk() {
    for risk in Risk.allCases {
      let isHarmless = risk < .destructive
      for surface in [Self.menu(7, risk), .notification(listedRisk: risk)] {
        let obstacle = Self.obstacle(to: .allow, Call.harmless.request, on: surface)
        #expect(obstacle == (isHarmless ? nil : .highRisk), "\(risk)")
      }
    }
  }

  // MARK: - At a glance

  @Test(
    "a call is readable at a glance up to three lines and 160 characters of plain ASCII",
    arguments: [
      ("ls", true), ("a\nb\nc", true), ("a\nb\nc\nd", false), (" ", true),
      (String(repeating: "x", count: 160), true), (String(repeating: "x", count: 161), false),
      (String(repeating: "x", count: 80) + "\n" + String(repeating: "x", count: 80), true),
      (String(repeating: "x", count: 80) + "\n" + String(repeating: "x", count: 81), false),
      ("", false), ("\n", false), ("é", false), ("a\u{7F}", false), ("\u{5D0}", false),
      ("a\u{200B}", false), ("\u{FF21}", false), ("~!", true),
    ]
  )
  func readable(command: String, isReadable: Bool) {
    let call = Self.request(["command": .string(command)])
    #expect((ApprovalPolicy.glance(at: .permission(call)) != nil) == isReadable)
    let deceptive = Self.request(["command": .string(command)], tool: "b\u{430}sh")
    #expect(ApprovalPolicy.glance(at: .permission(deceptive)) == nil)
  }

  @Test("a glance shows every member of the input")
  func members() {
    let call = Self.request(["command": "ls", "timeout": 3])
    #expect(ApprovalPolicy.glance(at: .permission(call)) == ["ls", "timeout:", "3"])
    let edit = Self.request(["path": "a", "oldText": "b", "newText": "c"], tool: "edit")
    #expect(ApprovalPolicy.glance(at: .permission(edit)) == ["a", "- b", "+ c"])
    #expect(ApprovalPolicy.glance(at: .permission(Self.request(.null))) == ["a call"])
  }

  // MARK: - Time

  @Test(
    "a request expires soon in the last quarter of its time, and in the last hour at most",
    arguments: [
      (29_999, 120_000, true), (30_000, 120_000, false),
      (899_999, 3_600_000, true), (900_000, 3_600_000, false),
      (3_599_999, 3_600_001, true), (3_600_000, 3_600_001, false),
      (3_599_999, 86_400_000, true), (3_600_000, 86_400_000, false),
      (0, 0, false), (0, 1, true),
    ]
  )
  func expiring(left: Int, timeToDecide: Int, isExpiring: Bool) {
    let left = Duration.milliseconds(left)
    #expect(ApprovalPolicy.isExpiring(in: left, of: .milliseconds(timeToDecide)) == isExpiring)
  }

  @Test("a request with an unknown timeout expires soon in its last hour")
  func unknownTime() {
    #expect(ApprovalPolicy.isExpiring(in: .seconds(3599), of: nil))
    #expect(!ApprovalPolicy.isExpiring(in: .seconds(3600), of: nil))
  }
}
