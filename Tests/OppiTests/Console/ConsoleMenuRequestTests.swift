// SPDX-License-Identifier: MIT

import OppiModel
import OppiTerminal
import OppiWire
import Testing

@testable import Oppi
@testable import OppiTestSupport

/// Requests in the console as a menu of lines.
@Suite struct ConsoleMenuRequestTests {
  private static let push = ConsoleDesk.request("p1", "git push")
  private static let remove = ConsoleDesk.request("p2", "rm -rf build")

  @Test("a request is read in full and allowed by its number")
  func allows() {
    var desk = MenuDesk.listing(Self.push, Self.remove)
    desk.type("2")
    // The highest risk comes first.
    #expect(desk.printed[1].hasPrefix("1 deletes data: bash: rm -rf build"), "\(desk.printed)")
    #expect(desk.printed[2].hasPrefix("2 sends data: bash: git push"), "\(desk.printed)")
    desk.type("2")
    #expect(desk.prints("call: git push") && desk.prints("4 deny with a reason"))
    #expect(desk.type("1", after: .milliseconds(900)).isEmpty)
    #expect(desk.prints("not decided: typed less than 1 second after"))
    #expect(desk.type("1") == [.reply(.decision(.allow), to: Self.push, because: nil)])
    #expect(desk.prints("waiting for confirmation"))
    // The numbers of the list do not count until it is printed again.
    #expect(desk.type("1").isEmpty && desk.prints("no choice '1'"))
  }

  @Test("a request is denied with a reason, and a question is answered part by part")
  func denies() {
    var desk = MenuDesk.listing(Self.push)
    desk.type("2", "1", "4")
    #expect(
      desk.type("use staging") == [
        .reply(.decision(.deny), to: Self.push, because: "use staging")
      ]
    )
  }

  @Test("an empty line and 0 leave a request without a decision")
  func leaves() {
    for line in ["", "0"] {
      var desk = MenuDesk.listing(Self.push)
      desk.type("2", "1")
      #expect(desk.type(line).isEmpty)
      #expect(desk.prints("Approvals, 1 in the list"), "\(line)")
    }
  }

  @Test("a number of an item that has changed is refused, and the list is printed again")
  func changedItem() {
    var desk = MenuDesk.listing(Self.push, Self.remove)
    desk.type("2")
    desk.answer([Self.push])
    #expect(desk.type("1").isEmpty)
    #expect(desk.prints("1 has changed meanwhile; nothing was done"))
    #expect(desk.prints("1 sends data: bash: git push"), "\(desk.printed)")
    desk.answer([ConsoleDesk.request("p1", "git push --force")])
    desk.type("1")
    #expect(desk.prints("1 has changed meanwhile") && desk.prints("git push --force"))
  }

  @Test("a number stays with its item while other items arrive")
  func numbers() {
    var desk = MenuDesk.listing(Self.push)
    desk.type("2")
    // The new request would be the first of a new list.
    desk.answer([Self.push, Self.remove])
    desk.type("1")
    #expect(desk.prints("call: git push"), "\(desk.printed)")
  }

  @Test("an open request that changes must be read again, and one that ends cannot be decided")
  func changedRequest() {
    var desk = MenuDesk.listing(Self.push)
    desk.type("2", "1")
    desk.wait(.seconds(5))
    desk.answer([ConsoleDesk.request("p1", "git push --force")])
    #expect(desk.prints("the request has changed") && desk.prints("call: git push --force"))
    #expect(desk.type("1", after: .milliseconds(500)).isEmpty)
    desk.answer([])
    #expect(desk.prints("no longer pending: decided elsewhere or gone"), "\(desk.printed)")
    #expect(desk.type("1").isEmpty)
    #expect(desk.prints("Approvals"))
  }

  @Test("a request that expires while it is read cannot be decided")
  func expires() {
    var desk = MenuDesk.listing(ConsoleDesk.request("p1", "git push", expires: 10))
    desk.type("2", "1")
    desk.wait(.seconds(20))
    #expect(desk.prints("no longer pending: expired"), "\(desk.printed)")
    #expect(desk.type("1").isEmpty)
  }

  @Test("with --read-only a request has no choices, and nothing can be changed")
  func readOnly() {
    let sessions = [ConsoleDesk.session("S", .running)]
    var desk = MenuDesk.listing(Self.push, sessions: sessions, isReadOnly: true)
    #expect(desk.printed.first == "main menu, read-only")
    desk.type("2", "1")
    #expect(desk.prints("git push") && !desk.prints("allow once"))
    #expect(desk.type("1").isEmpty)
    desk.type("0", "3", "1")
    #expect(desk.prints("1 peek") && !desk.prints("stop") && !desk.prints("reply"))
    desk.type("0", "0", "4")
    #expect(desk.prints("the chat is off with --read-only"))
  }

  @Test("a request is printed again after Ctrl-Z, and needs a second of its own")
  func suspendedRequest() {
    var desk = MenuDesk.listing(Self.push)
    desk.type("2", "1")
    desk.wait(.seconds(2))
    desk.suspend()
    #expect(desk.prints("call: git push") && desk.prints("1 allow once"), "\(desk.printed)")
    #expect(desk.type("1", after: .milliseconds(999)).isEmpty && desk.prints("not decided"))
    #expect(desk.type("1") == [.reply(.decision(.allow), to: Self.push, because: nil)])
  }

  @Test("a change is asked about again after Ctrl-Z, and needs a second of its own")
  func suspendedChange() {
    var desk = MenuDesk.listing(sessions: [ConsoleDesk.session("S", .running)])
    desk.type("3", "1", "4")
    desk.wait(.seconds(2))
    desk.suspend()
    #expect(desk.printed.last == "type yes; anything else cancels", "\(desk.printed)")
    #expect(desk.type("yes", after: .milliseconds(900)).isEmpty && desk.prints("typed too early"))
    desk.type("4")
    desk.suspend()
    let id = ListedSession.ID(serverID: ConsoleDesk.studio, sessionID: "S")
    #expect(desk.type("yes") == [.work(.stop(id))])
  }

  @Test("the beginning of a long call is in the list, with the number of its lines")
  func summary() {
    let command = (1...30).map { "echo line-\($0)" }.joined(separator: "\n")
    var desk = MenuDesk.listing(ConsoleDesk.request("p1", command))
    desk.type("2")
    #expect(desk.prints("bash: echo line-1, echo line-2") && desk.prints("…, 30 lines; in studio"))
    #expect(!desk.prints("line-20"))
  }
}
