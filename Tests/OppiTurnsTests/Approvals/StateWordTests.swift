// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel
import Simulation
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiTestSupport

/// The words for what waits, which are the same on all surfaces.
@Suite struct StateWordTests {
  /// A request of each class and form.
  enum Asked: String, CaseIterable, Sendable {
    case call = "deploy"
    case confirm = "ask confirm"
    case gate
    case question = "ask select"
    case text = "ask input"

    var kind: DecidingPerson.Kind { self == .call ? .permission : .dialog }

    var needs: RequestNeed { [.question, .text].contains(self) ? .answer : .approval }

    /// A part of its text.
    var line: String {
      switch self {
      case .call: "git push origin main"
      case .confirm: "Proceed?"
      case .gate: "Allow?"
      case .question: "Pick one"
      case .text: "Your name"
      }
    }
  }

  /// Words that some other program, or an earlier version, has for what waits.
  nonisolated(unsafe) private static let others =
    /(?i)needs? (an? )?(approval|answer|input|you\b)|approval (still )?needed|(question|approval) pending|input (is )?(required|needed)|awaiting (?!\()|waiting for (?!(an )?(approval|answer)|you\b)|proposed, not|cancel the (question|approval)|needs attention|blocked on/

  /// The words of the surface, in any case; `nil` if it shows the request without a state.
  private static func words(on surface: ShowingSurface, _ asked: Asked) -> String? {
    switch surface {
    case .approvals, .approvalsInJSON, .approvalsWatch, .statusInJSON, .sessionsInJSON: nil
    // Their place is taken by the risk, if that is known.
    case .approvalsOnTerminal, .console, .menu:
      [.call, .gate].contains(asked) ? nil : asked.needs.state
    case .waybar, .argos: asked.needs.noun
    case .sessions: SessionPhase.waiting.word
    case .approvalsShow, .follow, .chat, .accessibleChat, .status, .statusOfSnapshot,
      .conversation, .notification:
      asked.needs.state
    }
  }

  @Test(
    "each surface has the word of the state, and no other",
    arguments: ShowingSurface.allCases,
    Asked.allCases
  )
  func surfaces(surface: ShowingSurface, asked: Asked) {
    DecisionSurfaceTests.withServer(of: asked.kind) { world, _, _ in
      let (session, id) = try await world.waiting(asking: asked.rawValue)
      var person = DecidingPerson(in: world, asked.kind, session: session, id: id)
      person.text = asked.line
      let text = try await surface.show(person).lowercased()
      if let words = Self.words(on: surface, asked) { #expect(text.contains(words), "\(text)") }
      let other: RequestNeed = asked.needs == .approval ? .answer : .approval
      #expect(!text.contains(other.state), "\(text)")
      let found = text.matches(of: Self.others).map { String($0.0) }
      #expect(found.isEmpty, "\(found) in: \(text)")
      let asking = text.split(separator: "\n").filter { $0.hasPrefix("? ") }
      #expect(asking.isEmpty, "\(asking)")
    }
  }

  @Test("waiting ends with the same words", arguments: Asked.allCases)
  func endings(asked: Asked) {
    DecisionSurfaceTests.withServer(of: asked.kind) { world, _, _ in
      let stopped = await world.oppi(
        ["ask", "-q", "-w", "demo", "--wait", "--on-ask", "fail", "--", asked.rawValue]
      )
      #expect(stopped.errors.contains("the agent is \(asked.needs.state): "), "\(stopped)")
      #expect(stopped.errors.contains(asked.line), "\(stopped)")
      let late = await world.oppi(
        ["ask", "-w", "demo", "--wait", "--timeout", "5s", "--", asked.rawValue],
        exits: 124
      )
      #expect(late.errors.contains(asked.needs.state), "\(late)")
      for outcome in [stopped, late] {
        let text = outcome.output + outcome.errors
        #expect(text.matches(of: Self.others).isEmpty, "\(text)")
      }
    }
  }

  @Test("no page of help has another word")
  func manual() {
    // That of JSON has a member named 'needs' before its meaning.
    for page in OppiTable.manual().pages where page.fileName != "oppi-json.5" {
      let text = page.source.split(separator: "\n").joined(separator: " ")
      let found = text.matches(of: Self.others).map { String($0.0) }
      #expect(found.isEmpty, "\(page.fileName)")
    }
  }

  @Test("a word of the state is that of the session, at any place of a line")
  func table() {
    for need in RequestNeed.allCases {
      #expect(need.state.hasPrefix(SessionPhase.waiting.word))
      #expect(need.title.hasPrefix(SessionPhase.waiting.title))
      #expect(need.title.lowercased() == need.state)
      #expect(StatusMark(need).symbol == "!" && StatusMark(need).word == need.state)
    }
    #expect(RequestNeed.allCases.map(\.state) == ["waiting for approval", "waiting for an answer"])
    #expect(RequestNeed.allCases.map(\.noun) == ["approval", "question"])
    for status in [ContentState.Status.awaitingApproval, .awaitingAnswer] {
      #expect(StatusMark(status).symbol == StatusMark(RequestNeed.approval).symbol)
    }
  }
}
