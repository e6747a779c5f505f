// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import OppiTerminal

@Suite struct WindowTitleTests {
  @Test("a title is written when it changes, and again after another program had the terminal")
  func changes() {
    var title = WindowTitle()
    var terminal = TerminalEmulator(width: 20, height: 3)
    terminal.feed(title.show("oppi: first"))
    #expect(terminal.title == "oppi: first")
    #expect(title.show("oppi: first").isEmpty && title.show(nil).isEmpty)
    #expect(!title.show("oppi: second").isEmpty)
    title.forget()
    #expect(!title.show("oppi: second").isEmpty)
  }

  @Test("a title has no control characters and is bounded")
  func safe() {
    var title = WindowTitle()
    var terminal = TerminalEmulator(width: 20, height: 3)
    terminal.feed(title.show("a\u{1B}]0;b\u{07}" + String(repeating: "c", count: 500)))
    #expect(terminal.title?.contains("\u{1B}") == false && terminal.unknown == [])
    #expect((terminal.title ?? "").count <= 80)
  }
}
