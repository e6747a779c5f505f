// SPDX-License-Identifier: MIT

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
    #expect(Self.menu("  a", "a").rows.map(\.text) == ["  a", "a (2)"])
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

  @Test("of the rows that equal an answer without spaces, the one that equals it exactly is meant")
  func exact() {
    let menu = Menu("oppi", ["two ", "two"].map { Menu.Row($0) })
    #expect(menu.index(of: "two", in: .row) == 1 && menu.index(of: " two", in: .row) == 0)
  }

  @Test("a menu has a limited number of rows")
  func limit() {
    let menu = Menu("oppi", Array(repeating: Menu.Row("row"), count: Menu.rowLimit + 1))
    #expect(menu.rows.count == Menu.rowLimit)
  }

  @Test("no separator of lines or fields reaches a picker")
  func separators() {
    let subject = Menu.Subject(kind: .session, name: "x\ty")
    let menu = Menu("oppi", [Menu.Row("a\u{2028}b\u{2029}c\u{85}d", subject: subject)])
    let input = String(decoding: menu.input(for: .field), as: UTF8.self)
    #expect(input == "0\tsession\tx y\ta b c d\n")
  }

  @Test("a picker with fields gets number, kind and name before the row")
  func fields() {
    let subject = Menu.Subject(kind: .session, name: "stu dio/-x")
    let menu = Menu("oppi", [Menu.Row("row", subject: subject), Menu.Row("other")])
    let input = String(decoding: menu.input(for: .field), as: UTF8.self)
    #expect(input == "0\tsession\tstu dio/-x\trow\n1\t\t\tother\n")
  }
}

/// Selection of the program that shows a menu.
@Suite struct PickerTests {
  private static func choice(
    _ named: [String]? = nil,
    in places: Set<Picker.Display>,
    of installed: Set<String>
  ) throws(MenuError) -> [String] {
    try Picker.choose(named, in: places) { installed.contains($0) }.words
  }

  @Test("by default, the first suitable installed program of the table is used")
  func first() throws {
    let all: Set = ["fzf", "fuzzel", "rofi", "wofi", "bemenu", "dmenu"]
    #expect(try Self.choice(in: [.terminal, .wayland], of: all) == ["fzf"])
    #expect(try Self.choice(in: [.wayland, .x11], of: all) == ["fuzzel"])
    #expect(try Self.choice(in: [.x11], of: all) == ["rofi"])
    #expect(try Self.choice(in: [.x11], of: ["fzf", "dmenu"]) == ["dmenu"])
  }

  @Test("a menu without a program fails with the suitable programs")
  func none() {
    #expect(throws: MenuError.noProgram(fitting: ["rofi", "bemenu", "dmenu"])) {
      try Self.choice(in: [.x11], of: [])
    }
    #expect(throws: MenuError.noProgram(fitting: [])) { try Self.choice(in: [], of: ["fzf"]) }
  }

  @Test("a named program must be installed and usable in the session")
  func named() throws {
    #expect(try Self.choice(["rofi", "-x"], in: [.x11], of: ["rofi"]) == ["rofi", "-x"])
    #expect(try Self.choice(["own"], in: [.wayland], of: ["own"]) == ["own"])
    #expect(throws: MenuError.noSuchProgram("rofi")) {
      try Self.choice(["rofi"], in: [.x11], of: [])
    }
    #expect(throws: MenuError.noPlace(program: "fzf", needsTerminal: true)) {
      try Self.choice(["/bin/fzf"], in: [.x11], of: ["/bin/fzf"])
    }
  }

  @Test("a named program is tried on any display, and an unknown one also without a display")
  func displays() throws {
    let all: Set = ["fuzzel", "rofi", "own"]
    #expect(try Self.choice(["fuzzel"], in: [.x11], of: all) == ["fuzzel"])
    #expect(try Self.choice(["own"], in: [], of: all) == ["own"])
    #expect(throws: MenuError.noPlace(program: "rofi", needsTerminal: false)) {
      try Self.choice(["rofi"], in: [.terminal], of: all)
    }
  }
}
