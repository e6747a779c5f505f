// SPDX-License-Identifier: MIT

import Testing

@testable import OppiSystem

/// Selection of the program that shows a menu.
@Suite struct ChosenPickerTests {
  private static func choice(
    _ named: [String]? = nil,
    in places: Set<Picker.Place>,
    of installed: Set<String>
  ) throws(MenuError) -> [String] {
    try ChosenPicker(named, in: .init(places: places) { installed.contains($0) }).words
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
}
