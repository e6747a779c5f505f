// SPDX-License-Identifier: MIT

import Testing

@testable import OppiModel

/// The rules of approvals, as one table.
@Suite struct ApprovalPolicyTests {
  private typealias Obstacle = ApprovalPolicy.Obstacle
  private typealias Surface = ApprovalPolicy.Surface

  /// A request of each kind that the rules tell apart.
  private enum Call: CaseIterable {
    /// Its risk is read.
    case harmless
    /// Its risk is high.
    case risky
    /// Part of it is missing, which makes its risk high, too.
    case incomplete

    var request: PermissionRequest {
      let command =
        switch self {
        case .harmless: "ls"
        case .risky: "sudo rm -rf /"
        case .incomplete: String(repeating: "x", count: 200_000)
        }
      return PermissionRequest(
        id: "r",
        tool: "bash",
        input: ["command": .string(command)],
        summary: "a call"
      )
    }
  }

  private static func glance(_ isShownInFull: Bool, _ risk: Risk = .read) -> ApprovalPolicy.Glance {
    ApprovalPolicy.Glance(isShownInFull: isShownInFull, listedRisk: risk)
  }

  /// What each surface does with an approval of each kind of call, once and for the session.
  private static let table: [(Surface, Call, once: Obstacle?, session: Obstacle?)] = [
    (.command, .harmless, nil, nil),
    (.command, .risky, nil, nil),
    (.command, .incomplete, .incomplete, .incomplete),
    (.lines, .harmless, nil, nil),
    (.lines, .risky, nil, nil),
    (.lines, .incomplete, .incomplete, .incomplete),
    (.panel(isEndSeen: true), .harmless, nil, nil),
    (.panel(isEndSeen: true), .risky, nil, nil),
    (.panel(isEndSeen: true), .incomplete, .incomplete, .incomplete),
    (.panel(isEndSeen: false), .harmless, .endNotSeen, .endNotSeen),
    (.panel(isEndSeen: false), .risky, .endNotSeen, .endNotSeen),
    (.panel(isEndSeen: false), .incomplete, .incomplete, .incomplete),
    (.menu(glance(true)), .harmless, nil, .scopeNotOffered),
    (.menu(glance(true)), .risky, .highRisk, .scopeNotOffered),
    (.menu(glance(true)), .incomplete, .incomplete, .incomplete),
    (.menu(glance(false)), .harmless, .notShownInFull, .scopeNotOffered),
    (.menu(glance(false)), .risky, .notShownInFull, .scopeNotOffered),
    (.notification(glance(true)), .harmless, nil, .scopeNotOffered),
    (.notification(glance(true)), .risky, .highRisk, .scopeNotOffered),
    (.notification(glance(true)), .incomplete, .incomplete, .incomplete),
    (.notification(glance(false)), .harmless, .notShownInFull, .scopeNotOffered),
    (.notification(glance(false)), .risky, .notShownInFull, .scopeNotOffered),
  ]

  @Test("each surface approves what the table says, and denies everything")
  func surfaces() {
    for (surface, call, once, session) in Self.table {
      let request = call.request
      #expect(
        ApprovalPolicy.obstacle(to: .allow, request, on: surface) == once, "\(surface) \(call)")
      #expect(
        ApprovalPolicy.obstacle(to: .allowForSession, request, on: surface) == session,
        "\(surface) \(call)"
      )
      #expect(ApprovalPolicy.obstacle(to: .deny, request, on: surface) == nil)
    }
  }

  @Test("only a command approves for all sessions")
  func everywhere() {
    let request = Call.harmless.request
    for (surface, _, _, _) in Self.table {
      let isPossible = ApprovalPolicy.obstacle(to: .allowEverywhere, request, on: surface) == nil
      #expect(isPossible == (surface == .command), "\(surface)")
    }
  }

  @Test("a menu and a notification approve nothing that is listed as destructive or high")
  func listedRisk() {
    for risk in Risk.allCases {
      let isHarmless = risk < .destructive
      for surface in [Surface.menu(Self.glance(true, risk)), .notification(Self.glance(true, risk))] {
        let obstacle = ApprovalPolicy.obstacle(to: .allow, Call.harmless.request, on: surface)
        #expect(obstacle == (isHarmless ? nil : .highRisk), "\(risk)")
      }
    }
  }

  @Test("an incomplete request is never sent as approved, wherever the decision comes from")
  func sending() {
    for call in Call.allCases {
      let request = call.request
      for decision in [PermissionDecision.allow, .allowForSession, .allowEverywhere] {
        let obstacle = ApprovalPolicy.obstacle(to: decision, request)
        #expect(obstacle == (call == .incomplete ? .incomplete : nil))
      }
      #expect(ApprovalPolicy.obstacle(to: .deny, request) == nil)
    }
  }

  // MARK: - At a glance

  @Test(
    "a call is readable at a glance up to three lines and 160 characters of plain ASCII",
    arguments: [
      (["ls"], true), (["a", "b", "c"], true), (["a", "b", "c", "d"], false),
      ([String(repeating: "x", count: 160)], true), ([String(repeating: "x", count: 161)], false),
      ([String(repeating: "x", count: 80), String(repeating: "x", count: 81)], false),
      ([" ", "~"], true), ([], false), ([""], false), (["", ""], false), (["é"], false),
      (["a\u{7F}"], false), (["a\tb"], false), (["\u{5D0}"], false), (["\u{FF21}"], false),
    ]
  )
  func readable(lines: [String], fits: Bool) {
    #expect(ApprovalPolicy.fitsGlance(tool: "bash", lines: lines, hiddenCount: 0) == fits)
    #expect(!ApprovalPolicy.fitsGlance(tool: "bash", lines: lines, hiddenCount: 1))
    #expect(!ApprovalPolicy.fitsGlance(tool: "b\u{430}sh", lines: lines, hiddenCount: 0))
  }

  @Test("a menu needs four rows beside those of the call, and a known height")
  func menuRooms() {
    #expect(ApprovalPolicy.fitsMenu(callRows: 3, visibleRows: 7))
    #expect(!ApprovalPolicy.fitsMenu(callRows: 3, visibleRows: 6))
    #expect(!ApprovalPolicy.fitsMenu(callRows: 1, visibleRows: nil))
  }

  // MARK: - Time

  @Test(
    "a request expires soon in its last quarter, and in its last hour at most",
    arguments: [
      (29_999, 120_000, true), (30_000, 120_000, false),
      (899_999, 3_600_000, true), (900_000, 3_600_000, false),
      (3_599_999, 3_600_001, true), (3_600_000, 3_600_001, false),
      (3_599_999, 86_400_000, true), (3_600_000, 86_400_000, false),
      (0, 0, false), (0, 1, true),
    ]
  )
  func expiring(left: Int, patience: Int, isExpiring: Bool) {
    let left = Duration.milliseconds(left)
    #expect(ApprovalPolicy.isExpiring(in: left, of: .milliseconds(patience)) == isExpiring)
  }

  @Test("a request of unknown patience expires soon in its last hour")
  func unknownPatience() {
    #expect(ApprovalPolicy.isExpiring(in: .seconds(3599), of: nil))
    #expect(!ApprovalPolicy.isExpiring(in: .seconds(3600), of: nil))
  }
}
