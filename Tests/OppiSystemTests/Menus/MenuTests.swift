// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@testable import OppiSystem

/// Menus in the formats of pickers, and their answers.
@Suite struct MenuTests {
  private static func menu(_ texts: String...) -> Menu {
    Menu("oppi", numbering: texts.map { Menu.Row($0) })
  }

  @Test("rows are unique single lines, even without surrounding spaces")
  func unique() {
    let menu = Self.menu("a", "a", "a (2)", "  a", "b\nc\td", "a")
    let texts = menu.rows.map(\.text)
    #expect(texts == ["a", "a (2)", "a (2) (2)", "  a (3)", "b c d", "a (4)"])
    let input = String(decoding: menu.input(for: .row), as: UTF8.self)
    #expect(input.split(separator: "\n").count == menu.rows.count)
  }

  @Test("an answer is a number, a row, or a row after its fields")
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

  @Test("a picker with fields gets number, kind and name before the row")
  func fields() {
    let subject = Menu.Subject(kind: .session, name: "stu dio/-x")
    let menu = Menu("oppi", [Menu.Row("row", subject: subject), Menu.Row("other")])
    let input = String(decoding: menu.input(for: .field), as: UTF8.self)
    #expect(input == "0\tsession\tstu dio/-x\trow\n1\t\t\tother\n")
  }
}
