// SPDX-License-Identifier: MIT

import CommandTable
import OppiTerminal
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiModel
@testable import OppiTestSupport
@testable import OppiText
@testable import OppiTurns
@testable import OppiWire

/// The command line, the help and the filter of the console, and the user's own keys.
@Suite struct ConsoleLayerTests {
  private static func desk(bindings: String = "") throws -> ConsoleDesk {
    var desk = ConsoleDesk(
      columns: 80,
      rows: 24,
      bindings: try KeyBindings(argument: bindings)
    )
    desk.answer(sessions: [
      ConsoleDesk.session("s1", .running), ConsoleDesk.session("s2", .idle),
    ])
    desk.press("3")
    return desk
  }

  // MARK: - The command line

  @Test("an action is performed by its name, like by its key")
  func byName() throws {
    var (named, pressed) = (try Self.desk(), try Self.desk())
    named.press(":", .text("stop"))
    #expect(named.shows("Stop the running turn; asks first"))
    #expect(named.press(.enter).isEmpty)
    pressed.press("s")
    #expect(named.lines == pressed.lines && named.shows("Stop the running turn of this session?"))
  }

  @Test("only actions that work now are offered, and typed text narrows them")
  func narrows() throws {
    var desk = try Self.desk()
    desk.press(":")
    #expect(!desk.shows("Put the prompt of the failed turn"), "the selected session has not failed")
    desk.press(.text("conv"))
    #expect(desk.shows("open") && desk.shows("delete") == false, "it runs, so it cannot be deleted")
    desk.press(.text("zzz"))
    #expect(desk.shows("no such action"))
    #expect(desk.press(.enter).isEmpty && desk.shows("no such action"))
    desk.press(.escape)
    #expect(!desk.shows("no such action") && desk.footer.contains("? help"))
  }

  @Test("arrows select, Tab completes, and Backspace in an empty line closes it")
  func edits() throws {
    var desk = try Self.desk()
    desk.press(":", .text("ref"), .down, .tab)
    #expect(desk.lines[22] == ":refresh")
    #expect(desk.press(.enter) == [.refresh])
    desk.press(":", .backspace)
    #expect(!desk.lines[22].hasPrefix(":"))
  }

  @Test("each letter that does not move has a name, in each tab")
  func names() {
    let desk = ConsoleDesk()
    let moves: [Key] = [.up, .down, .end]
    for tab in desk.screen.tabs {
      for row in tab.keys(in: desk.screen.model) where !moves.contains(where: row.keys.contains) {
        let letter = row.keys.contains { if case .text = $0 { true } else { false } }
        #expect(!letter || !row.command.isEmpty, "\(tab.title): \(row.name)")
      }
    }
  }

  @Test("names that begin with the text come first, and the first one is chosen for each text")
  func order() throws {
    var desk = try Self.desk()
    desk.press(":", .down, .down, .text("re"), .tab)
    #expect(desk.lines[22] == ":reply", "another action has 're' in its meaning")
  }

  // MARK: - Help

  @Test("the help is searched by what is typed, also by letters that are keys")
  func help() throws {
    var desk = try Self.desk()
    desk.press("?", "q", "u", "i", "t")
    #expect(desk.shows("Exit; agents continue") && !desk.shows("Send a message to the session"))
    desk.press(.text(" zzz"))
    #expect(desk.shows("No key is for that."))
    desk.press(.escape)
    #expect(desk.shows("goal of s1"))
  }

  // MARK: - The filter

  @Test("arrows move the selection while a filter is typed", arguments: ["/goal", "/goal/"])
  func arrows(filter: String) throws {
    var desk = try Self.desk()
    for letter in filter { desk.press(.text(String(letter))) }
    #expect(desk.lines.contains { $0.hasPrefix("▸") && $0.contains("goal of s1") })
    desk.press(.down)
    #expect(desk.lines.contains { $0.hasPrefix("▸") && $0.contains("goal of s2") })
    #expect(desk.lines[22] == filter)
  }

  @Test("a search that is typed filters nothing; Esc shows all rows again")
  func typedSearch() throws {
    var desk = try Self.desk()
    desk.press("/", .text("/goal of s9"))
    #expect(desk.shows("goal of s1") && desk.shows("goal of s2"), "\(desk.lines)")
    desk.press(.escape, "/", .text("s2"))
    #expect(!desk.shows("goal of s1"))
    desk.press(.escape)
    #expect(desk.shows("goal of s1"))
  }

  @Test("a filter that finds nothing offers the search on the servers; Enter starts it")
  func offers() throws {
    var desk = try Self.desk()
    desk.press("/", .text("zebra"), .enter)
    #expect(desk.shows("Nothing matches the filter.") && desk.footer.contains("Enter search"))
    #expect(desk.press(.enter) == [.work(.search("zebra"))])
    _ = desk.update(.news(.work(.found("zebra", [ConsoleDesk.searchHit], silent: []))))
    #expect(desk.shows("the zebra test"), "the words around the match")
  }

  // MARK: - The user's own keys

  @Test("a chosen key performs its action, and the action that had it keeps its name only")
  func bindings() throws {
    var desk = try Self.desk(bindings: "reply=s, refresh=Ctrl-R")
    #expect(desk.press(.control("r")) == [.refresh] && desk.press("g").isEmpty)
    desk.press("s")
    #expect(desk.shows("Message to"))
    desk.press(.escape, ":", .text("stop"), .enter)
    #expect(desk.shows("Stop the running turn of this session?"))
  }

  @Test(
    "the banner of a server that does not answer names the key that refreshes, if there is one",
    arguments: [
      ("", "retrying (g: now)"), ("refresh=Ctrl-R", "retrying (Ctrl-R: now)"),
      ("reply=g", "retrying"),
    ]
  )
  func banner(bindings: String, words: String) throws {
    var desk = try Self.desk(bindings: bindings)
    let lost = FleetView.Failure(message: "can't reach studio: refused")
    _ = desk.update(.news(.looked(ConsoleDesk.studio, .failure(lost))))
    #expect(desk.lines[1].hasSuffix("; \(words)"), "\(desk.lines)")
    #expect(desk.lines[2] == "  can't reach studio: refused")
  }

  @Test("the first action of a chosen key loses it, also if it stands before the other")
  func lostKey() throws {
    var desk = try Self.desk(bindings: "delete=r")
    desk.press(.end, "r")
    #expect(desk.shows("Delete this session") && !desk.shows("Message to"))
  }

  @Test(
    "keys that cannot be used are refused",
    arguments: [
      "reply", "reply=", "reply=ab", "reply=Ctrl-C", "reply=Ctrl-1", "a=x,b=x", "=x", "a=é",
    ]
  )
  func refused(text: String) {
    #expect(throws: ArgumentValueError.self) { try KeyBindings(argument: text) }
  }
}

/// Marks and the order of lists in the console.
@Suite struct ConsoleListTests {
  private static func desk(_ phases: [SessionPhase]) -> ConsoleDesk {
    var desk = ConsoleDesk(columns: 100)
    desk.answer(
      sessions: phases.enumerated().map { index, phase in
        var session = ConsoleDesk.session("s\(index + 1)", phase)
        session.lastActivity = ConsoleDesk.begin.moved(by: .seconds(-60 * index))
        session.goal = "\(["c", "a", "b"][index % 3]) goal of s\(index + 1)"
        return session
      }
    )
    desk.press("3")
    return desk
  }

  private static func id(_ session: String) -> ListedSession.ID {
    ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: session)
  }

  @Test("an action for marked rows asks once, and is for those to which it applies")
  func marks() {
    var desk = Self.desk([.running, .running, .idle])
    desk.press(" ", " ", " ")
    #expect(desk.shows("3 marked") && desk.shows("▣"))
    desk.press("s")
    #expect(desk.shows("Stop the running turns of 2 sessions?") && desk.shows("goal of s2"))
    let effects = desk.choose("y")
    #expect(Set(effects.flatMap(\.changed)) == ["session s1", "session s2"])
    #expect(!desk.shows("marked"))
  }

  @Test("a mark is removed by Space or Esc, and with its row")
  func unmarks() {
    var desk = Self.desk([.idle, .idle])
    desk.press(" ", .home, " ")
    #expect(!desk.shows("marked"))
    desk.press(.home, " ", " ", .escape)
    #expect(!desk.shows("marked"))
    desk.press(.home, " ")
    desk.answer(sessions: [ConsoleDesk.session("s2", .idle)])
    #expect(!desk.shows("marked"))
    desk.press(.home, " ", "/", .text("nothing of that"), .enter)
    #expect(!desk.shows("marked"), "what is not shown cannot be marked")
  }

  @Test("marked requests are denied together, as they were shown, after a question")
  func denies() {
    var desk = ConsoleDesk()
    desk.answer(["a", "b", "c"].map { ConsoleDesk.request($0, "echo \($0)") })
    desk.press(" ", " ", "d")
    #expect(desk.shows("Deny 2 requests?") && desk.shows("echo a") && !desk.shows("echo c"))
    let effects = desk.choose("y")
    #expect(effects.flatMap(\.changed).count == 2)
    for case .reply(let reply, _, _) in effects { #expect(reply.isRefusal) }
    #expect(desk.shows("waiting for confirmation"))
  }

  @Test("a read-only console marks and denies nothing")
  func readOnly() {
    var desk = ConsoleDesk(isReadOnly: true)
    desk.answer([ConsoleDesk.request("a", "ls")])
    desk.press(" ", "d")
    #expect(!desk.shows("marked") && !desk.shows("Deny"))
  }

  @Test("o sorts by one column after the other, and then by urgency again")
  func sorts() {
    var desk = Self.desk([.idle, .running, .failed])
    func order() -> String {
      let words = desk.lines.flatMap { $0.split(separator: " ") }
      return words.indices.dropLast().filter { words[$0] == "of" && words[$0 + 1].first == "s" }
        .map { String(words[$0 + 1]) }.joined(separator: " ")
    }
    let urgent = order()
    #expect(urgent == "s2 s3 s1")
    var orders: [String: String] = [:]
    for _ in 0..<6 {
      desk.press("o")
      let line = desk.lines.first { $0.hasPrefix("by ") }
      orders[line.map { String($0.dropFirst(3).prefix { $0 != " " }) } ?? ""] = order()
    }
    #expect(orders["age"] == "s1 s2 s3" && orders["title"] == "s2 s3 s1", "\(orders)")
    #expect(orders["workspace"] == urgent, "equal rows stay in their order")
    while desk.shows("by ") { desk.press("o") }
    #expect(order() == urgent)
  }

  @Test("sorted by servers, each has its name above its sessions")
  func groups() {
    var desk = Self.desk([.idle, .idle])
    _ = desk.update(
      .news(.paired([(ConsoleDesk.studio, "studio"), (ConsoleDesk.attic, "attic")]))
    )
    desk.press("o", "o")
    #expect(desk.shows("by server") && desk.shows("── studio · 2"))
  }

  // MARK: - Other attempts, names and new sessions

  @Test("the prompt of a failed turn is read, shown whole, and sent only by Enter after a second")
  func retries() {
    var desk = Self.desk([.idle])
    desk.answer(sessions: [ConsoleDesk.session("s1", .failed)])
    #expect(desk.press("R") == [.work(.read(Self.id("s1"), turns: 1))])
    #expect(desk.press(.text("x"), .enter).isEmpty && desk.shows("reading the prompt…"))
    var turn = Turn()
    turn.prompt = "fix the tests"
    desk.wait(.seconds(2))
    _ = desk.update(.news(.work(.conversation(Self.id("s1"), turns: 1, .success([turn])))))
    #expect(desk.shows("› fix the tests") && desk.press(.enter).isEmpty, "just shown")
    #expect(desk.press(.enter, after: .seconds(1)) == [.send("fix the tests", to: Self.id("s1"))])
  }

  @Test("a session gets another name")
  func renames() {
    var desk = Self.desk([.idle])
    desk.press("e", .control("u"), .text("new name"))
    let effects = desk.press(.enter, after: .seconds(1))
    #expect(effects == [.work(.rename(Self.id("s1"), to: "new name"))])
  }

  @Test("a new prompt names its workspace and model before Enter sends it")
  func launches() throws {
    var desk = Self.desk([.idle])
    #expect(desk.press("n") == [.work(.listWorkspaces)])
    let all = ["webapp", "infra"].compactMap(ConsoleDesk.workspace)
    _ = desk.update(.news(.work(.workspaces(all))))
    _ = desk.update(.news(.work(.workspaces(all.reversed()))))
    #expect(desk.cursorLine.hasPrefix("workspace ›") && desk.shows("▸ studio/webapp"), "it stays")
    desk.press(.text("inf"), .enter, .tab, .text("say hello"))
    #expect(desk.shows("workspace: studio/infra") && desk.shows("model: the workspace's default"))
    #expect(desk.press(.enter).isEmpty, "typed ahead")
    let order = NewPrompt.Order(workspace: all[1], model: nil, text: "say hello")
    #expect(desk.press(.enter, after: .seconds(1)) == [.work(.launch(order))])
    _ = desk.update(.news(.work(.notLaunched(order))))
    desk.press("n")
    #expect(desk.shows("› say hello") && desk.shows("studio/infra"), "what was not sent is kept")
  }
}
