// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import Testing

@testable import Oppi
@testable import OppiTestSupport
@testable import OppiWire

/// The console's tabs, keys and layout, without a terminal.
@Suite struct ConsoleScreenTests {
  @Test("no line is wider or higher than the screen, in any size and on any tab")
  func fits() {
    for (columns, rows) in [
      (40, 12), (80, 24), (109, 30), (110, 30), (200, 50), (300, 100), (5, 3),
      (40, 2), (40, 1), (5, 1),
    ] {
      var desk = ConsoleDesk(columns: columns, rows: rows)
      let command = String(repeating: "한글 wide ", count: 60)
      desk.answer(
        (0..<80).map { ConsoleDesk.request("r\($0)", command) },
        sessions: (0..<80).map { ConsoleDesk.session("s\($0)", .running) }
      )
      for _ in desk.screen.tabs.indices {
        for keys in [[Key.down], [.enter], [.escape], [.text("?")], [.escape]] {
          for key in keys { desk.press(key) }
          #expect(desk.lines.count == rows)
          let widest = desk.lines.map { DisplayWidth.of($0) }.max() ?? 0
          #expect(widest <= columns, "\(columns)x\(rows): \(desk.lines)")
          if let cursor = desk.view.cursor {
            #expect(cursor.row < rows && cursor.column < max(1, columns))
          }
        }
        desk.press(.tab)
      }
    }
  }

  @Test("the number of pending requests is on the tab and in the title")
  func counts() {
    var desk = ConsoleDesk()
    #expect(desk.view.title == "oppi console")
    desk.answer([ConsoleDesk.request("a", "ls"), ConsoleDesk.request("b", "git push")])
    #expect(desk.view.title == "(2) oppi console")
    #expect(desk.lines[0].contains("Approvals (2)"))
    desk.answer([ConsoleDesk.request("a", "ls")])
    #expect(desk.view.title == "(1) oppi console")
  }

  @Test("digits and Tab select tabs; the selected tab is in brackets")
  func tabs() {
    var desk = ConsoleDesk()
    let titles = desk.screen.tabs.map(\.title)
    #expect(titles == ["Now", "Approvals", "Work", "Chat", "Schedules", "Costs", "Settings"])
    #expect(desk.lines[0].contains("[2 Approvals]"))
    for (index, title) in titles.enumerated() {
      desk.press(.text("\(index + 1)"))
      #expect(desk.lines[0].contains("[\(index + 1) \(title)"), "\(desk.lines[0])")
    }
    desk.press(.tab)
    #expect(desk.lines[0].contains("[1 \(titles[0])"))
  }

  @Test("letters typed at once count as single keys")
  func together() {
    var desk = ConsoleDesk()
    desk.answer((0..<5).map { ConsoleDesk.request("r\($0)", "echo \($0)") })
    desk.press(.text("jjj"))
    #expect(desk.cursorLine.contains("echo 3"))
  }

  // MARK: - Keys

  @Test("the footer shows only keys that work now, and the help page marks the others")
  func footer() {
    var desk = ConsoleDesk()
    #expect(!desk.footer.contains("open") && desk.footer.contains("? help"))
    desk.answer([ConsoleDesk.request("a", "ls")])
    desk.press(.down)
    #expect(desk.footer.contains("Enter open"))
    desk.press(.text("?"))
    #expect(desk.shows("Show the selected request in full"))
    desk.press(.escape)
    desk.press(.home)
    #expect(!desk.shows("Show the selected request in full"))
  }

  @Test("every key of the table does something, and the help page has each of them")
  func table() {
    let desk = ConsoleDesk(columns: 120, rows: 60)
    for tab in desk.screen.tabs.indices {
      var desk = desk
      desk.press(.text("\(tab + 1)"))
      let keys = desk.screen.keys
      let working = keys.filter { $0.action != nil }
      #expect(Set(working.map(\.name)).count == working.count, "two rows have one name")
      let all = working.flatMap(\.keys).map { "\($0)" }
      #expect(Set(all).count == all.count, "two rows have one key: \(all)")
      desk.press(.text("?"))
      for key in keys {
        #expect(desk.shows(key.help), "\(key.name)")
      }
    }
  }

  @Test("a filter narrows the list while it is typed; Enter keeps it and Esc clears it")
  func filter() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("a", "git push"), ConsoleDesk.request("b", "ls")])
    desk.press(.text("/"), .text("push"))
    #expect(desk.shows("git push") && !desk.shows("bash: ls"))
    // A digit belongs to the text here.
    desk.press(.text("2"))
    #expect(desk.shows("Nothing matches the filter."))
    desk.press(.backspace, .enter)
    #expect(desk.shows("git push") && !desk.shows("bash: ls"))
    desk.press(.text("/"), .escape)
    #expect(desk.shows("bash: ls"))
  }

  @Test("a refresh queries the servers and sorts the list")
  func refresh() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("b", "ls")])
    desk.press(.down)
    desk.answer([ConsoleDesk.request("b", "ls"), ConsoleDesk.request("a", "sudo id")])
    #expect(desk.shows("1 new below"))
    #expect(desk.press(.text("g")) == [.refresh])
    #expect(!desk.shows("new below") && desk.cursorLine.contains("bash: ls"))
  }

  @Test("y copies the command of the selected request in full")
  func copies() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("a", "git push\norigin main")])
    #expect(!desk.footer.contains("copy"))
    desk.press(.text("y"))
    #expect(desk.copied == "git push\norigin main" && desk.shows("clipboard: git push"))
    desk.answer([ConsoleDesk.request("b", String(repeating: "a", count: 80_000))])
    desk.press(.home, .text("y"))
    #expect(desk.shows("not copied: too long"))
    desk.answer([ConsoleDesk.request("c", "echo \u{1B}[201~id")])
    desk.press(.home, .text("y"))
    #expect(desk.copied?.unicodeScalars.contains("\u{1B}") == false, "\(desk.copied ?? "")")
  }

  @Test("a notice stays when a server answers, unless it says that the servers are queried")
  func notices() {
    var desk = ConsoleDesk()
    _ = desk.update(.news(.note("not sent: no route")))
    desk.answer([])
    #expect(desk.shows("not sent: no route"))
    desk.press(.text("g"))
    #expect(desk.shows("querying all servers"))
    desk.answer([])
    #expect(!desk.shows("querying all servers"))
  }

  @Test("a new request calls the user only while another window has the focus")
  func calls() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("a", "ls")])
    desk.press(.focus(false))
    desk.answer([ConsoleDesk.request("a", "ls")])
    #expect(desk.calls == [])
    desk.answer([ConsoleDesk.request("a", "ls"), ConsoleDesk.request("b", "git push")])
    #expect(desk.calls == ["waiting for approval: bash: git push"])
    desk.press(.focus(true))
    desk.answer([ConsoleDesk.request("c", "id")])
    #expect(desk.calls.count == 1)
  }

  @Test("several new requests call the user once, with their number")
  func callsOnce() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("a", "ls")])
    desk.press(.focus(false))
    desk.answer(["a", "b", "c"].map { ConsoleDesk.request($0, "ls") })
    #expect(desk.calls == ["2 requests are pending"])
  }

  @Test("a tab whose list is read from files is read again each minute")
  func readAgain() {
    var desk = ConsoleDesk()
    desk.answer()
    #expect(desk.press("5") == [.outbox(.read), .schedule(.read)])
    for _ in 1...2 {
      #expect(desk.wait(.seconds(59)).isEmpty)
      #expect(desk.wait(.seconds(1)) == [.outbox(.read), .schedule(.read)])
    }
  }

  @Test("the focus of the window is no key: it selects nothing and closes nothing")
  func focus() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("a", "ls")])
    desk.press(.down, .enter)
    desk.press(.text("d"), after: .seconds(2))
    desk.press(.focus(false), .focus(true), after: .seconds(1))
    #expect(desk.press(.enter, after: .seconds(1)).count == 1)
  }

  @Test("a second slash searches the conversations on the servers")
  func searches() {
    var desk = ConsoleDesk()
    desk.answer([ConsoleDesk.request("a", "ls")])
    #expect(desk.press(.text("/"), .text("/flaky test"), .enter) == [.work(.search("flaky test"))])
    #expect(desk.lines[0].contains("[3 Work"))
    _ = desk.update(.news(.work(.found("flaky test", [ConsoleDesk.searchHit], silent: ["attic"]))))
    #expect(desk.shows("1 session contains") && desk.shows("goal of old"))
    #expect(desk.shows("not searched: attic"))
    desk.press(.escape)
    #expect(!desk.shows("goal of old"))
  }

  // MARK: - Banner

  @Test("a banner names a server that is unreachable or refuses access, with age and remedy")
  func banner() {
    var desk = ConsoleDesk()
    desk.answer()
    desk.wait(.seconds(130))
    let lost = FleetView.Failure(message: "can't reach studio")
    _ = desk.update(.news(.looked(ConsoleDesk.studio, .failure(lost))))
    let words = "✗ studio is unreachable, last answer 2 min ago; retrying (g: now)"
    #expect(desk.lines[1].hasPrefix(words))
    let refused = FleetView.Failure(message: "no", remedy: "oppi pair INVITE", kind: .refusal)
    _ = desk.update(.news(.looked(ConsoleDesk.studio, .failure(refused))))
    #expect(desk.lines[1].contains("refuses access") && desk.lines[1].contains("oppi pair INVITE"))
    desk.answer()
    #expect(!desk.shows("✗"))
  }

  @Test("what the banner says of a lost server is not repeated below a list; other problems are")
  func namedOnce() {
    var desk = ConsoleDesk()
    let lost = FleetView.Failure(message: "can't reach studio: no route")
    _ = desk.update(.news(.looked(ConsoleDesk.studio, .failure(lost))))
    desk.press("5")
    let problems = [lost.message, "schedule 'x' is damaged"]
    _ = desk.update(.news(.schedule(.listed([], problems: problems))))
    #expect(desk.lines.count { $0.contains("can't reach studio") } == 1, "\(desk.lines)")
    #expect(desk.shows("✗ schedule 'x' is damaged"), "\(desk.lines)")
  }

  @Test("of the results of several changes, a success does not hide a failure")
  func severalResults() {
    var desk = ConsoleDesk(columns: 100)
    _ = desk.update(.news(.note("sent to a")))
    #expect(desk.shows("sent to a"))
    _ = desk.update(.news(.failed("not sent to b")))
    _ = desk.update(.news(.note("sent to c")))
    #expect(desk.shows("not sent to b") && !desk.shows("sent to c"))
    let request = ConsoleDesk.request("q", "ls")
    _ = desk.update(.news(.replied(.decision(.deny), request, nil, text: "not decided")))
    #expect(desk.shows("2 failed; not sent to b"))
    _ = desk.update(.news(.replied(.decision(.deny), request, .decided, text: "denied")))
    #expect(desk.shows("2 failed; not sent to b"))
    desk.press(.down)
    _ = desk.update(.news(.note("sent to d")))
    #expect(desk.shows("sent to d") && !desk.shows("failed") && !desk.shows("more"))
    _ = desk.update(.news(.note("sent to e")))
    #expect(desk.shows("sent to e (and 1 more)"))
  }

  @Test("before the first answer the console says that it waits, and not that nothing is pending")
  func waits() {
    var desk = ConsoleDesk()
    #expect(desk.shows("Waiting for the servers") && !desk.shows("No pending approvals"))
    desk.answer()
    #expect(desk.shows("No pending approvals."))
    desk.press("4")
    #expect(desk.shows("Ask the agent to research or plan."))
  }

  // MARK: - Leaving

  @Test("q, Ctrl-C and Ctrl-D leave", arguments: [Key.text("q"), .control("c"), .control("d")])
  func leaves(key: Key) {
    var desk = ConsoleDesk()
    #expect(desk.press(key) == [.leave])
  }

  @Test("leaving waits for the result of a decision; a second press leaves at once")
  func leavesLater() {
    for isPatient in [true, false] {
      var desk = ConsoleDesk()
      desk.answer([ConsoleDesk.request("a", "ls")])
      desk.press(.down, .enter)
      #expect(desk.choose("d").count == 1)
      #expect(desk.press(.text("q"), after: .seconds(1)) == [])
      #expect(desk.shows("waiting for confirmation"))
      let effects = isPatient ? desk.update(.news(.changeEnded)) : desk.press(.text("q"))
      #expect(effects == [.leave])
      #expect(desk.screen.model.pendingChanges == (isPatient ? 0 : 1))
    }
  }
}
