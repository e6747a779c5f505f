// SPDX-License-Identifier: MIT

import Testing

@testable import Oppi
@testable import OppiModel

/// Which replies each kind of request accepts, and what is sent.
@Suite struct RequestReplyTests {
  private static func dialog(_ method: String, _ more: JSONObject = [:]) -> HumanRequest {
    let body = (["title": "Run rm -rf ./build?"] as JSONObject).adding(more)
    return .question(UserQuestion(id: "q", method: method, body: .object(body)))
  }

  private static let call = HumanRequest.permission(
    PermissionRequest(id: "p", tool: "bash", input: ["command": "ls"], summary: "ls")
  )

  private static func reply(_ reply: RequestReply, to request: HumanRequest) -> RequestReply? {
    try? request.accepting(reply)
  }

  /// Whether a reply is refused, and why.
  private static func refuses(
    _ reply: RequestReply,
    to request: HumanRequest,
    with words: String
  ) -> Bool {
    do throws(OppiError) {
      _ = try request.accepting(reply)
      return false
    } catch {
      return error.message.contains(words)
    }
  }

  private static let needsAnswer = "it cannot be approved"
  private static let hasNoScope = "--scope session and --scope global do not apply"
  private static let needsDecision = "it takes no answer"
  private static let incomplete = "too long to be shown in full"

  @Test("an approval of a confirm is a yes, and a denial of any dialog cancels it")
  func decisions() {
    #expect(Self.reply(.decision(.allow), to: Self.dialog("confirm")) == .answer(.confirmed(true)))
    for method in ["ask", "select", "confirm", "input", "editor", "draw"] {
      #expect(Self.reply(.decision(.deny), to: Self.dialog(method)) == .answer(.cancelled))
    }
  }

  @Test(
    "no option is taken for an approval, whatever its text",
    arguments: ["Yes", "yes", "Approve", "Allow", "OK", "Y"]
  )
  func neverGuesses(option: String) {
    let select = Self.dialog("select", ["options": [.string(option), "No"]])
    #expect(Self.refuses(.decision(.allow), to: select, with: Self.needsAnswer))
    for method in ["ask", "input", "editor", "draw"] {
      #expect(Self.refuses(.decision(.allow), to: Self.dialog(method), with: Self.needsAnswer))
    }
  }

  @Test("a dialog has no approval for more than this time")
  func scopes() {
    for method in ["ask", "select", "confirm", "input", "editor"] {
      for decision in [PermissionDecision.allowForSession, .allowEverywhere] {
        #expect(Self.refuses(.decision(decision), to: Self.dialog(method), with: Self.hasNoScope))
      }
    }
  }

  @Test("a tool call takes decisions and no answers")
  func calls() {
    for decision in [PermissionDecision.allow, .allowForSession, .allowEverywhere, .deny] {
      #expect(Self.reply(.decision(decision), to: Self.call) == .decision(decision))
    }
    for answer in [QuestionAnswer.value("Yes"), .confirmed(true), .cancelled] {
      #expect(Self.refuses(.answer(answer), to: Self.call, with: Self.needsDecision))
    }
  }

  @Test("a request that is not whole accepts only a refusal")
  func incomplete() {
    let cut = Self.dialog("confirm", ["message": .string(String(repeating: "a", count: 1 << 21))])
    #expect(Self.refuses(.decision(.allow), to: cut, with: Self.incomplete))
    #expect(Self.refuses(.answer(.confirmed(true)), to: cut, with: Self.incomplete))
    #expect(Self.reply(.decision(.deny), to: cut) == .answer(.cancelled))
    #expect(Self.reply(.answer(.confirmed(false)), to: cut) == .answer(.confirmed(false)))
  }
}

/// Marks on requests belong to a request as it was shown.
@Suite struct BatchMarksTests {
  private static let studio = ConsoleDesk.studio

  private static func at(_ seconds: Int) -> Timestamp {
    ConsoleDesk.begin.moved(by: .seconds(seconds))
  }

  private static func board(_ requests: [ListedRequest]) -> ConsoleBoard {
    var board = ConsoleBoard()
    board.pair([(studio, "studio")])
    board.take(.init(at: at(0), requests: requests), of: studio)
    return board
  }

  @Test("only an approval of this call, a yes and refusals can be marked")
  func replies() {
    let request = ConsoleDesk.request("a", "ls")
    let rows: [(RequestReply, Bool)] = [
      (.decision(.allow), true), (.decision(.deny), true), (.decision(.allowForSession), false),
      (.decision(.allowEverywhere), false), (.answer(.value("yes")), false),
      (.answer(.confirmed(true)), false),
    ]
    for (reply, isMarked) in rows {
      var marks = BatchMarks()
      let isTaken = marks.mark(request, reply)
      #expect(isTaken == isMarked, "\(reply)")
      #expect(marks.isEmpty == !isMarked && (marks[request.id] != nil) == isMarked)
    }
  }

  @Test("a request that is not whole can be marked deny and not allow")
  func incomplete() {
    let request = ConsoleDesk.request("a", String(repeating: "ls; ", count: 40_000))
    var marks = BatchMarks()
    let isAllowed = marks.mark(request, .decision(.allow))
    #expect(!isAllowed && marks.isEmpty)
    let isDenied = marks.mark(request, .decision(.deny))
    #expect(isDenied && !marks.isEmpty)
  }

  @Test("the mark of a request that expires, ends or changes is dropped, and only that one")
  func drops() {
    let all = ["a", "b", "c"].map { ConsoleDesk.request($0, "ls", expires: $0 == "a" ? 10 : 500) }
    var marks = BatchMarks()
    for request in all { _ = marks.mark(request, .decision(.allow)) }
    var board = Self.board(all)
    func dropped(at seconds: Int) -> [String] {
      marks.drop(after: board, at: Self.at(seconds)).map(\.request.id.requestID)
    }
    #expect(dropped(at: 9) == [])
    #expect(dropped(at: 10) == ["a"])
    let changed = ConsoleDesk.request("b", "rm", expires: 500)
    board.take(.init(at: Self.at(11), requests: [changed, all[2]]), of: Self.studio)
    #expect(dropped(at: 11) == ["b"])
    board.take(.init(at: Self.at(12), requests: [changed]), of: Self.studio)
    #expect(dropped(at: 12) == ["c"])
    #expect(marks.isEmpty && marks.dropped.count == 3)
  }

  @Test("the counts name the marks, and the pending requests without one")
  func counts() {
    let all = ["a", "b", "c", "d"].map { ConsoleDesk.request($0, "ls") }
    var model = ConsoleModel(isReadOnly: false, now: ConsoleDesk.begin)
    model.board = Self.board(all)
    var marks = BatchMarks()
    _ = marks.mark(all[0], .decision(.allow))
    _ = marks.mark(all[1], .decision(.deny))
    _ = marks.mark(all[2], .decision(.deny))
    #expect(marks.counts(in: model) == "allow 1, deny 2, leave 1")
    marks.unmark(all[0].id)
    #expect(marks.counts(in: model) == "allow 0, deny 2, leave 2")
  }
}
