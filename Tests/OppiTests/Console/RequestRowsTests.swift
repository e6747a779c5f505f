// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// The words for the states of a request: what is proposed never looks like what has run.
@Suite struct RequestRowsTests {
  private static let now = ConsoleDesk.begin

  private static func request(_ command: String = "git push") -> ListedRequest {
    ConsoleDesk.request("p", command, expires: 90)
  }

  @Test("each state has words of its own, and only a known approval has a check mark")
  func words() {
    var marks: [StatusMark] = []
    func mark(_ state: ListedRequest.State) {
      var request = Self.request()
      request.state = state
      marks.append(request.mark(at: Self.now))
    }
    mark(.pending)
    mark(.sending(.decision(.allow)))
    mark(.sending(.decision(.deny)))
    mark(.settled(.init(.expired, at: Self.now)))
    mark(.settled(.init(.elsewhere, at: Self.now)))
    mark(.settled(.init(.recorded(isAllowed: true, by: "user"), at: Self.now)))
    mark(.settled(.init(.recorded(isAllowed: false, by: "user"), at: Self.now)))
    for outcome in DecisionOutcome.allCases {
      mark(.settled(.init(.replied(.decision(.allow), outcome), at: Self.now)))
    }
    for reply in [RequestReply.decision(.deny), .answer(.value("Yes"))] {
      mark(.settled(.init(.replied(reply, .decided), at: Self.now)))
    }
    let words = marks.map(\.word)
    #expect(words.first == "waiting for approval" && words.last == "answered 'Yes' by you")
    #expect(Set(words).count == words.count - 1, "unconfirmed and unknown are one: \(words)")
    #expect(
      marks.filter { $0.symbol == "✓" }.map(\.word) == [
        "approved elsewhere (user)", "approved by you",
      ]
    )
  }

  @Test("the risk is a symbol and a word, and a dialog says what it needs")
  func risks() {
    let marks = Risk.allCases.map { risk in
      var approval = Self.request().approval
      approval.risk = risk
      return approval.mark
    }
    #expect(
      marks.map(\.word) == [
        "reads data", "makes changes", "sends data", "deletes data", "high risk",
      ]
    )
    #expect(marks.map(\.symbol) == ["·", "!", "!", "▲", "▲"])
    var dialog = Self.request().approval
    dialog.risk = nil
    #expect(dialog.mark.word == "waiting for approval")
    dialog.needs = .answer
    #expect(dialog.mark.word == "waiting for an answer")
    dialog.risk = .destructive
    #expect(dialog.mark == StatusMark("▲", "waiting for an answer, deletes data", .error))
  }

  @Test(
    "the row of a request fits and has its state and its command, at any width",
    arguments: 20...220
  )
  func rows(width: Int) {
    var model = ConsoleModel(isReadOnly: false, now: Self.now)
    model.board.pair([(ConsoleDesk.studio, "studio")])
    let request = Self.request("git push origin main")
    let answer = FleetView.Answer(
      at: Self.now,
      way: .permissions,
      requests: [request],
      sessions: []
    )
    model.board.take(answer, of: ConsoleDesk.studio)
    let source = ApprovalsSource()
    let rows = source.table(of: [request.id], visible: 0..<1, width: width, in: model).map(\.plain)
    #expect(rows.count == 2 && rows.allSatisfy { DisplayWidth.of($0) <= width })
    #expect(rows[1].hasPrefix("! ") && (width < 30 || rows[1].hasPrefix("! approve")))
    #expect(rows[1].contains("bash"))
    if width >= 60 { #expect(rows[1].contains("1 min left") && rows[1].contains("git push")) }
  }

  @Test("the page of an ended request has its time, which does not change")
  func preview() {
    var request = Self.request()
    request.state = .settled(.init(.expired, at: Self.now))
    for minutes in [0, 5] {
      let later = Self.now.moved(by: .seconds(60 * minutes))
      let rows = request.detail(width: 80, at: later).map(\.plain)
      #expect(rows.contains { $0.contains("ended at \(Self.now.iso8601)") })
      #expect(rows.contains("requested: bash") && rows.contains("  git push"))
      #expect(!rows.contains { $0.contains("proposed") })
    }
  }
}
