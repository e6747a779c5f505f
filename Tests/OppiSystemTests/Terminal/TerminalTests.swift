// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import OppiSystem
import Testing

@Suite("Terminal")
struct TerminalTests {
  @Test("the width of a terminal is known once it is set", arguments: [1, 80, 500] as [UInt16])
  func width(columns: UInt16) throws {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    try #require(openpty(&primary, &secondary, nil, nil, nil) == 0)
    defer {
      close(primary)
      close(secondary)
    }
    #expect(Terminal.isTerminal(secondary))
    #expect(Terminal.width(of: secondary) == nil)
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    try #require(ioctl(primary, UInt(TIOCSWINSZ), &size) == 0)
    #expect(Terminal.width(of: secondary) == Int(columns))
  }

  @Test("a descriptor that is not a terminal has no width")
  func noTerminal() throws {
    let pipe = try Pipe()
    for descriptor in [pipe.readEnd, pipe.writeEnd, -1] {
      #expect(!Terminal.isTerminal(descriptor))
      #expect(Terminal.width(of: descriptor) == nil)
    }
  }
}
