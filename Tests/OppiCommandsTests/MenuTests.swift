// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import Testing

@testable import OppiCommands

/// Menus as pickers read them, and what they make of the answers.
@Suite struct MenuTests {
  private static func menu(_ texts: String...) -> Menu {
    Menu("oppi", numbering: texts.map { Menu.Row($0) })
  }

  @Test("no row is split, and no two are the same, also without the spaces around them")
  func unique() {
    let menu = Self.menu("a", "a", "a (2)", "  a", "b\nc\td", "a")
    let texts = menu.rows.map(\.text)
    #expect(texts == ["a", "a (2)", "a (2) (2)", "  a (3)", "b c d", "a (4)"])
    let input = String(decoding: menu.input(for: .row), as: UTF8.self)
    #expect(input.split(separator: "\n").count == menu.rows.count)
  }

  @Test("an answer is a number, a row, or a row behind its fields; anything else is none")
  func answers() {
    let menu = Self.menu("one", "  two", "three")
    #expect(menu.index(of: "2", in: .index) == 2)
    for answer in ["3", "-1", "", "one", "99999999999999999999"] {
      #expect(menu.index(of: answer, in: .index) == nil, "\(answer)")
    }
    #expect(menu.index(of: "  two", in: .row) == 1 && menu.index(of: "two", in: .row) == 1)
    #expect(menu.index(of: "1", in: .row) == nil && menu.index(of: "tw", in: .row) == nil)
    #expect(menu.index(of: "1\t\t\t  two", in: .field) == 1)
    #expect(menu.index(of: "7\t\t\tx", in: .field) == nil)
  }

  @Test("a picker with fields gets the number, the kind and the name before the row")
  func fields() {
    let subject = Menu.Subject(kind: .session, name: "stu dio/-x")
    let menu = Menu("oppi", [Menu.Row("row", subject: subject), Menu.Row("other")])
    let input = String(decoding: menu.input(for: .field), as: UTF8.self)
    #expect(input == "0\tsession\tstu dio/-x\trow\n1\t\t\tother\n")
  }

  @Test("the row of a call that says the same as a decision decides nothing")
  func deceiving() throws {
    let menu = ApprovalMenu(
      try Self.row(#"{"command":"Approve, once\nDeny\n| Deny"}"#),
      in: MenuSight(columns: 56, rows: 15)
    )
    let texts = menu.menu.rows.map(\.text)
    #expect(texts.count { $0.hasPrefix("|   ") } == 3, "\(texts)")
    for (index, text) in texts.enumerated() where text.hasPrefix("|") {
      #expect(menu.word(at: index) == .read, "\(text)")
    }
    for (text, word) in [("Deny", ApprovalMenu.Word.deny), ("Approve, once", .approve)] {
      #expect(texts.count { $0.trimmed == text } == 1)
      let index = try #require(menu.menu.index(of: text, in: .row))
      #expect(menu.word(at: index) == word, "\(texts)")
    }
    #expect(menu.word(at: 0) == .read && menu.word(at: texts.count) == .read)
  }

  @Test("approving is offered only where all of the call is surely seen")
  func sight() throws {
    func isOffered(_ input: String, _ sight: MenuSight?) throws -> Bool {
      let texts = ApprovalMenu(try Self.row(input), in: sight).menu.rows.map(\.text)
      #expect(texts.first?.hasPrefix("Open") == true && texts.contains("Deny"))
      return texts.contains("Approve, once")
    }
    let sight = MenuSight(columns: 56, rows: 15)
    #expect(try isOffered(#"{"command":"make  install"}"#, sight))
    #expect(try !isOffered(#"{"command":"make  install"}"#, nil))
    #expect(try isOffered(#"{"command":"make  install"}"#, MenuSight(columns: 56, rows: 7)))
    #expect(try !isOffered(#"{"command":"make  install"}"#, MenuSight(columns: 56, rows: 6)))
    #expect(try !isOffered(#"{"command":"make  install"}"#, MenuSight(columns: 1, rows: 15)))
    #expect(try !isOffered(#"{"command":"a\nb\nc\nd"}"#, sight))
    #expect(try !isOffered(#"{"command":"echo \u202Eabc"}"#, sight))
    #expect(try !isOffered(#"{"command":"rm -rf /"}"#, sight))
  }

  private static func row(_ input: String) throws -> ListedRequest {
    let json = try JSONValue(parsing: Array(#"{"id":"r","tool":"bash","input":\#(input)}"#.utf8))
    let request = try #require(PermissionRequest(json: json))
    let id = try #require(Fingerprint("sha256:" + String(repeating: "A", count: 43)))
    let endpoint = try #require(Endpoint(scheme: .http, host: "127.0.0.1", port: 1))
    return ListedRequest(
      server: PairedServer(id: id, name: "studio", endpoint: endpoint),
      request: request,
      approval: PendingApproval(request, clockOffset: .zero),
      now: Timestamp(milliseconds: 0)
    )
  }
}
