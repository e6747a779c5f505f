// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import Testing

/// A terminal whose other end is controlled by the test.
final class PseudoTerminal: Sendable {
  let primary: Int32
  let secondary: Int32

  init() throws {
    var (primary, secondary): (Int32, Int32) = (-1, -1)
    try #require(openpty(&primary, &secondary, nil, nil, nil) == 0)
    FileDescriptor.prepare(primary)
    (self.primary, self.secondary) = (primary, secondary)
  }

  deinit {
    close(primary)
    close(secondary)
  }

  var modes: Modes {
    var modes = termios()
    tcgetattr(secondary, &modes)
    return Modes(modes)
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    #expect(write(primary, bytes, bytes.count) == bytes.count)
  }

  /// The output since the last call.
  func output() -> String {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(primary, &chunk, chunk.count)
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<count]
    }
  }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    #expect(ioctl(primary, UInt(TIOCSWINSZ), &size) == 0)
  }

  /// The relevant modes of a terminal.
  struct Modes: Equatable {
    var input: tcflag_t
    var output: tcflag_t
    var local: tcflag_t
    var characters: [UInt8]

    init(_ modes: termios) {
      (input, output, local) = (modes.c_iflag, modes.c_oflag, modes.c_lflag)
      characters = withUnsafeBytes(of: modes.c_cc) { Array($0) }
    }

    var isRaw: Bool { local & tcflag_t(ECHO | ICANON | ISIG | IEXTEN) == 0 }
    var mapsReturn: Bool { input & tcflag_t(ICRNL) != 0 }
    var processesOutput: Bool { output & tcflag_t(OPOST) != 0 }
  }
}
