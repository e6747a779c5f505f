// SPDX-License-Identifier: MIT

import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiWire

/// The form of a prompt for a new session.
@Suite struct NewPromptTests {
  private static let workspaces = ["webapp", "infra"].compactMap(ConsoleDesk.workspace)

  /// The form, open for two seconds.
  private static func desk(_ workspaces: [ServerWorkspace] = workspaces) -> ConsoleDesk {
    var session = ConsoleDesk.session("s1", .idle)
    session.model = "openai/gpt-5"
    var desk = ConsoleDesk(columns: 100)
    desk.answer(sessions: [session])
    desk.press("3", "n")
    _ = desk.update(.news(.work(.workspaces(workspaces))))
    desk.wait(.seconds(2))
    return desk
  }

  private static func order(model: String? = nil, _ text: String = "say hello") -> ConsoleEffect {
    .work(.launch(NewPrompt.Order(workspace: workspaces[0], model: model, text: text)))
  }

  @Test("Enter sends nothing within a second after the prompt was asked for")
  func typedAhead() {
    var desk = Self.desk()
    #expect(desk.press(.enter, .enter, .text("say hello"), .enter).isEmpty)
    #expect(desk.shows("not sent: read where it goes"))
    #expect(desk.press(.enter, after: .milliseconds(900)).isEmpty)
    #expect(desk.press(.enter, after: .milliseconds(100)) == [Self.order()])
  }

  @Test("after a stop of the program, Enter sends nothing within a second")
  func continued() {
    var desk = Self.desk()
    desk.press(.enter, .enter, .text("say hello"))
    desk.wait(.seconds(2))
    _ = desk.update(.continued)
    #expect(desk.press(.enter).isEmpty)
    #expect(desk.press(.enter, after: .seconds(1)) == [Self.order()])
  }

  @Test(
    "the model is the workspace's default, that of a listed session, or typed",
    arguments: [
      ([.enter], nil), ([.tab], nil), ([.down, .enter], "openai/gpt-5"),
      (["gpt", .enter], "openai/gpt-5"), (["local/x", .enter], "local/x"),
      (["default", .enter], nil),
    ] as [([Key], String?)]
  )
  func models(keys: [Key], model: String?) {
    var desk = Self.desk()
    desk.press(.enter)
    for key in keys { desk.press(key) }
    desk.press(.text("say hello"))
    #expect(desk.shows("model: \(model ?? "the workspace's default")"), "\(desk.lines)")
    #expect(desk.press(.enter, after: .seconds(1)) == [Self.order(model: model)])
  }

  @Test("Esc keeps the whole order for the next form, but no blank prompt")
  func drafts() {
    var desk = Self.desk()
    desk.press(.enter, .down, .enter, .text("say hello"), .escape, "n")
    #expect(desk.shows("› say hello") && desk.shows("workspace: studio/webapp"), "\(desk.lines)")
    let sent = desk.press(.enter, after: .seconds(1))
    #expect(sent == [Self.order(model: "openai/gpt-5")])
    desk.press("n")
    #expect(desk.cursorLine.hasPrefix("workspace ›"), "what was sent is not offered again")
    _ = desk.update(.news(.work(.workspaces(Self.workspaces))))
    desk.press(.enter, .enter, .text("  "))
    #expect(desk.press(.enter, after: .seconds(1)).isEmpty)
    desk.press(.escape, "n")
    #expect(desk.cursorLine.hasPrefix("workspace ›"), "\(desk.lines)")
  }

  @Test("workspaces with the same name are told apart by their ids")
  func twins() throws {
    let twins = Self.workspaces.map { workspace in
      var twin = workspace
      twin.workspace.name = "webapp"
      return twin
    }
    let name = try #require(twins[1].reference?.description)
    var desk = Self.desk(twins)
    desk.press(.down, .enter, .enter, .text("say hello"))
    #expect(desk.shows("workspace: \(name)"), "\(desk.lines)")
    let order = NewPrompt.Order(workspace: twins[1], model: nil, text: "say hello")
    #expect(desk.press(.enter, after: .seconds(1)) == [.work(.launch(order))])
  }
}

/// The past decisions in a session.
@Suite struct DecisionLogTests {
  @Test("the decisions of one session are shown, and no others")
  func otherSession() {
    var desk = ConsoleDesk(columns: 100)
    desk.answer(sessions: [ConsoleDesk.session("s1", .idle)])
    desk.press("3")
    let first = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "s1")
    let other = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "s2")
    #expect(desk.press("l") == [.work(.readLog(first))] && desk.shows("reading…"))
    _ = desk.update(.news(.work(.log(other, .success([StyledText("allowed rm")])))))
    #expect(desk.shows("reading…") && !desk.shows("allowed rm"), "\(desk.lines)")
    _ = desk.update(.news(.work(.log(first, .success([])))))
    #expect(desk.shows("no decisions"))
    let failure = FleetView.Failure(message: "no route")
    _ = desk.update(.news(.work(.log(first, .failure(failure)))))
    #expect(desk.shows("no route"))
    desk.press(.escape)
    #expect(desk.shows("[All 1]"))
  }
}
