// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiText
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// Decisions on the console: never by accident, and never for a call that was not shown in full.
@Suite struct ConsoleApprovalTests {
  private func opened(
    _ command: String = "git push",
    columns: Int = 80,
    rows: Int = 24,
    isReadOnly: Bool = false
  ) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: columns, rows: rows, isReadOnly: isReadOnly)
    desk.answer([ConsoleDesk.request("a", command)])
    desk.press(.down)
    desk.press(.enter)
    return desk
  }

  private typealias Reply = (reply: RequestReply, request: ListedRequest, reason: String?)

  private func replies(_ effects: [ConsoleEffect]) -> [Reply] {
    effects.compactMap { effect in
      guard case .reply(let reply, let request, let reason) = effect else { return nil }
      return (reply, request, reason)
    }
  }

  private func decisions(_ effects: [ConsoleEffect]) -> [RequestReply] {
    replies(effects).map(\.reply)
  }

  @Test("a letter selects, and only Enter after a look decides, on the request as it was shown")
  func decides() {
    let cases: [(String, PermissionDecision)] = [
      ("a", .allow), ("s", .allowForSession), ("d", .deny),
    ]
    for (letter, decision) in cases {
      var desk = opened()
      #expect(desk.press(.text(letter), after: .seconds(2)).isEmpty)
      #expect(desk.press(.enter).isEmpty, "the selection was not visible long enough")
      let sent = replies(desk.press(.enter, after: .seconds(1)))
      #expect(sent.map(\.reply) == [.decision(decision)] && sent.first?.reason == nil)
      #expect(sent.first?.request.request.permission?.summary == "git push")
      #expect(desk.press(.enter, after: .seconds(1)).isEmpty, "only the first Enter decides")
    }
  }

  @Test("a selection stays if only what is not shown of a request changes, and goes with its text")
  func unshown() {
    for isShown in [false, true] {
      let body: JSONObject = ["title": "Go?", "timeoutAt": 9_000_000_000, "number": 1]
      func request(_ body: JSONObject) -> ListedRequest {
        let question = UserQuestion(id: "q", method: "confirm", body: .object(body))
        return ConsoleDesk.listed(.question(question))
      }
      var desk = ConsoleDesk()
      desk.answer([request(body)])
      desk.press(.down, .enter)
      _ = desk.press(.text("y"), after: .seconds(2))
      desk.answer([request(body.adding(["number": 2]).adding(isShown ? ["title": "Go!"] : [:]))])
      let sent = decisions(desk.press(.enter, after: .milliseconds(500)))
      #expect(sent == (isShown ? [] : [.answer(.confirmed(true))]), "\(desk.lines)")
    }
  }

  @Test("a second press of the Enter that decided opens nothing")
  func doublePress() {
    var desk = opened()
    _ = desk.press(.text("d"), after: .seconds(2))
    _ = desk.press(.enter)
    #expect(decisions(desk.press(.enter, after: .seconds(1))) == [.decision(.deny)])
    #expect(desk.press(.enter, after: .milliseconds(100)).isEmpty)
    #expect(!desk.shows("waiting for approval"), "\(desk.lines)")
  }

  @Test("nothing is selected in a request, so that Enter alone decides nothing")
  func preselects() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("a", "git push")])
    for _ in 0..<5 { #expect(desk.press(.enter, after: .seconds(2)).isEmpty) }
    #expect(desk.shows("waiting for approval"))
  }

  @Test("keys within a second after a request opens, or while typing, select nothing")
  func early() {
    var desk = opened()
    #expect(desk.press(.text("a"), after: .milliseconds(900)).isEmpty)
    #expect(desk.press(.enter, after: .milliseconds(900)).isEmpty)
    #expect(desk.shows("pause for 1 s to answer"))
    for letter in ["a", "d", "d", "a"] { desk.press(.text(letter), after: .milliseconds(100)) }
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty)
    #expect(desk.shows("nothing is selected"))
  }

  @Test("a request whose call changes while it is open starts again, with nothing selected")
  func changes() {
    var desk = opened()
    desk.press(.text("a"), after: .seconds(2))
    desk.wait(.seconds(1))
    desk.answer([ConsoleDesk.request("a", "rm -rf /")])
    #expect(desk.press(.enter, after: .milliseconds(300)).isEmpty)
    #expect(desk.press(.enter, after: .seconds(2)).isEmpty)
    #expect(desk.shows("rm -rf /") && !desk.shows("git push"))
  }

  @Test("a request that is decided elsewhere or expires while it is open takes no more keys")
  func gone() {
    for isExpired in [false, true] {
      var desk = opened()
      desk.press(.text("a"), after: .seconds(2))
      if isExpired { desk.wait(.seconds(700)) } else { desk.answer([]) }
      #expect(desk.press(.enter, after: .seconds(1)).isEmpty)
      #expect(desk.shows(isExpired ? "expired" : "decided elsewhere"))
      desk.press(.escape)
      #expect(desk.shows("[All 0]"))
    }
  }

  @Test("a denial with a reason sends the reason, and Esc leaves without a decision")
  func reason() throws {
    var desk = opened()
    desk.press(.text("r"), after: .seconds(2))
    #expect(desk.shows("reason ›"))
    desk.press(.text("use a branch"), after: .seconds(2))
    let sent = try #require(replies(desk.press(.enter, after: .seconds(1))).first)
    #expect(sent.reply == .decision(.deny) && sent.reason == "use a branch")
    var other = opened()
    other.press(.text("r"), after: .seconds(2))
    #expect(other.press(.escape, after: .seconds(2)).isEmpty)
    #expect(!other.shows("reason ›") && other.shows("waiting for approval"))
  }

  @Test("proposed, sent and decided requests have different words")
  func words() throws {
    var desk = opened()
    #expect(desk.shows("waiting for approval"))
    let (reply, request, _) = try #require(replies(desk.choose("a")).first)
    #expect(desk.shows("… sending") && desk.shows("[All 0]"))
    _ = desk.update(.news(.replied(reply, request, .decided, text: "allowed once: git push")))
    #expect(desk.shows("✓ allowed") && desk.shows("allowed once: git push"))
    desk.answer([])
    desk.wait(.seconds(120))
    #expect(desk.shows("✓ allowed  2 min"))
    desk.wait(.seconds(600))
    desk.answer([])
    desk.press(.home)
    #expect(desk.shows("No pending approvals."))
  }

  @Test("PageDown is offered for what does not fit, and only there", arguments: [2, 60])
  func offersRest(count: Int) {
    var desk = ConsoleDesk()
    let command = (1...count).map { "make target\($0)" }.joined(separator: "\n")
    desk.answer([ConsoleDesk.request("a", command)])
    desk.press("2", .home, .enter)
    #expect(desk.footer.contains("PageDown more") == (count == 60), "\(desk.footer)")
  }

  @Test(
    "after each reply the selection moves to the next request that waits, and stays at the last"
  )
  func movesOn() throws {
    var desk = ConsoleDesk()
    let requests = ["a", "b", "c"].map { ConsoleDesk.request($0, "make \($0)") }
    desk.answer(requests)
    desk.press(.home, .down)
    #expect(desk.cursorLine.hasSuffix("bash: make b"))
    for (answered, next) in [("b", "c"), ("c", "a"), ("a", "a")] {
      desk.press(.enter, after: .seconds(1))
      let (reply, request, _) = try #require(replies(desk.choose("d")).first)
      #expect(request.id.requestID == answered)
      #expect(desk.cursorLine.hasSuffix("bash: make \(next)"), "\(desk.lines)")
      _ = desk.update(.news(.replied(reply, request, .decided, text: "denied: make")))
      #expect(desk.cursorLine.hasSuffix("bash: make \(next)"), "\(desk.lines)")
    }
    #expect(!desk.shows("waiting for approval") && desk.shows("✗ denied"))
  }

  @Test("a request that ended elsewhere while it was open keeps the selection when it is closed")
  func keepsSelection() {
    var desk = ConsoleDesk()
    let requests = ["a", "b"].map { ConsoleDesk.request($0, "make \($0)") }
    desk.answer(requests)
    desk.press(.home, .enter)
    desk.answer([requests[1]])
    desk.press(.escape, after: .seconds(1))
    #expect(desk.cursorLine.hasSuffix("bash: make a"), "\(desk.lines)")
  }

  @Test(
    "an answered dialog nowhere says that it needs something",
    arguments: [
      ["Yes", "No"], ["Red", "Blue"],
    ]
  )
  func answeredDialog(options: [String]) throws {
    let question = UserQuestion(
      id: "q",
      method: "select",
      body: [
        "title": "Go on?", "options": .array(options.map(JSONValue.string)), "sessionId": "S",
        "extensionDisplayName": "Gate",
      ]
    )
    var desk = ConsoleDesk(columns: 140)
    let listed = ConsoleDesk.listed(.question(question))
    var session = ConsoleDesk.session("S", .waiting)
    session.approvals = [listed.approval]
    desk.answer([listed], sessions: [session])
    desk.press(.down)
    #expect(desk.shows("! waiting for "))
    desk.press(.enter)
    let (reply, request, _) = try #require(replies(desk.choose("1")).first)
    #expect(!desk.shows("needs a") && desk.shows("sent, not confirmed"), "\(desk.lines)")
    _ = desk.update(.news(.replied(reply, request, .decided, text: "answer sent")))
    #expect(!desk.shows("needs a") && desk.shows("answered '\(options[0])' by you"))
    #expect(desk.shows("requested by: Gate") && desk.shows("Go on?"), "\(desk.lines)")
    desk.press("3", .down)
    #expect(desk.shows("running") && !desk.shows("waiting, "), "\(desk.lines)")
  }

  @Test("a reply that did not reach the server leaves the request pending, with the reason")
  func fails() throws {
    var desk = opened()
    let (reply, request, _) = try #require(replies(desk.choose("a")).first)
    _ = desk.update(.news(.replied(reply, request, nil, text: "not decided: no route")))
    #expect(desk.shows("[All 1]") && desk.shows("not decided: no route"))
  }

  /// A question in two parts.
  private static func question(_ first: String) throws -> ListedRequest {
    let json: JSONValue = [
      "type": "extension_ui_request", "id": "q1", "sessionId": "S", "method": "ask",
      "questions": [
        [
          "id": "one", "question": .string(first),
          "options": [["value": "a", "label": "Alpha"], ["value": "b", "label": "Beta"]],
        ],
        [
          "id": "two", "question": "Then?",
          "options": [["value": "c", "label": "Gamma"], ["value": "d", "label": "Delta"]],
        ],
      ],
    ]
    let message = try #require(ServerMessage(json: json))
    guard case .question(let question) = message.kind else { throw CancellationError() }
    return ConsoleDesk.listed(.question(question))
  }

  @Test("what was answered of a question does not answer another one with its id")
  func changedQuestion() throws {
    var desk = ConsoleDesk(rows: 40)
    desk.answer([try Self.question("Delete the cache?")])
    desk.press(.down, .enter)
    #expect(desk.choose("1").isEmpty)
    #expect(desk.shows("Then?"))
    desk.answer([try Self.question("Delete the disk?")])
    #expect(desk.shows("Delete the disk?") && !desk.shows("Then?"))
    #expect(desk.choose("2").isEmpty, "the other part is still to be answered")
    let sent = try #require(replies(desk.choose("1")).first, "\(desk.lines)")
    guard case .answer(.choices(let parts)) = sent.reply else { throw CancellationError() }
    #expect([.text("Beta"), .text("b")].contains(parts["one"]), "\(parts)")
  }

  @Test("with --read-only a request can be read and not decided")
  func readOnly() {
    var desk = opened(isReadOnly: true)
    #expect(desk.shows("git push") && desk.shows("read-only"))
    for letter in ["a", "d", "s", "r"] {
      #expect(desk.choose(letter).isEmpty)
    }
  }

  @Test("rows do not move while one is selected, and the cursor stands on the selected row")
  func steady() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("b", "echo b"), ConsoleDesk.request("c", "echo c")])
    desk.press(.home)
    desk.press(.down)
    let before = desk.view.cursor?.row
    #expect(desk.cursorLine.contains("echo c"))
    desk.answer([
      ConsoleDesk.request("a", "sudo id"), ConsoleDesk.request("b", "echo b"),
      ConsoleDesk.request("c", "echo c"),
    ])
    #expect(desk.cursorLine.contains("echo c") && desk.view.cursor?.row == before)
    #expect(desk.lines.contains { $0.hasPrefix("+ ") && $0.contains("sudo id") })
    desk.press(.home)
    #expect(desk.cursorLine.contains("sudo id"))
  }
}
