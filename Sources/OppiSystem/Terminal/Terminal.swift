// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

/// What a file descriptor is connected to.
package enum Terminal {
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Whether a standard stream is a terminal.
  package static func isTerminal(_ stream: StandardStream) -> Bool {
    isTerminal(stream.descriptor)
  }

  /// The width of a standard stream in columns, where it is a terminal that knows it.
  package static func width(of stream: StandardStream) -> Int? { width(of: stream.descriptor) }

  /// The width in columns, where the terminal knows it.
  package static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    // A fresh pseudo-terminal says 0 columns.
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// The height of a standard stream in rows, where it is a terminal that knows it.
  package static func height(of stream: StandardStream) -> Int? {
    var size = winsize()
    guard ioctl(stream.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
      return nil
    }
    return Int(size.ws_row)
  }
}

// MARK: - Drawing

extension Terminal {
  /// The sequence that makes the cursor visible (private mode 25).
  static let showCursor = Array("\u{1B}[?25h".utf8)

  /// The size in cells; 80 columns and 24 rows where the terminal does not know it.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (80, 24) }
    // A fresh pseudo-terminal says 0 for both.
    return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// Whether the keys of a terminal go to this program's job and not to another one's.
  static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    // Where it is no terminal of this session, there are no other jobs.
    return group < 0 || group == getpgrp()
  }

  /// How long a terminal that shows nothing may hold up the program when it is given back.
  static let patience = Duration.milliseconds(100)
}

extension OutputStream {
  /// Writes all bytes to a terminal; one that is gone gets none.
  func draw(_ bytes: [UInt8], on loop: EventLoop) async throws(CancellationError) {
    do {
      try await write(bytes, on: loop)
    } catch {
      if error == .cancelled { throw CancellationError() }
    }
  }
}
