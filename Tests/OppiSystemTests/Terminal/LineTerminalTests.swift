// SPDX-License-Identifier: MIT

import EventLoop
import Testing

@testable import OppiSystem

@Suite("LineTerminal")
struct LineTerminalTests {
  @Test("the modes are restored, also after unread input was taken")
  func modes() throws {
    let pseudo = try PseudoTerminal()
    let original = pseudo.modes
    let terminal = try LineTerminal(descriptor: pseudo.secondary, on: EventLoop())
    let changed = pseudo.modes
    _ = terminal.takeUnread()
    #expect(pseudo.modes == changed)
    terminal.restore()
    #expect(pseudo.modes == original)
    #expect(terminal.takeUnread().isEmpty)
    #expect(pseudo.modes == original)
  }
}
