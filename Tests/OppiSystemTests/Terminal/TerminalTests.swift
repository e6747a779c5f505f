// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import Testing

@Suite("Terminal")
struct TerminalTests {
  @Test("the width of a terminal is known once it is set", arguments: [1, 80, 500] as [UInt16])
  func width(columns: UInt16) throws {
    let pseudo = try PseudoTerminal()
    #expect(Terminal.isTerminal(pseudo.secondary))
    #expect(Terminal.window(of: pseudo.secondary) == (nil, nil))
    pseudo.resize(columns: columns, rows: 24)
    #expect(Terminal.window(of: pseudo.secondary) == (Int(columns), 24))
  }

  @Test("a descriptor that is not a terminal has no width")
  func noTerminal() throws {
    let pipe = try Pipe()
    for descriptor in [pipe.readEnd, pipe.writeEnd, -1] {
      #expect(!Terminal.isTerminal(descriptor))
      #expect(Terminal.window(of: descriptor).columns == nil)
    }
  }
}
