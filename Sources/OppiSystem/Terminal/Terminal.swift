// SPDX-License-Identifier: MIT

import EventLoop
import Glibc

package enum Terminal {
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  package static func isTerminal(_ stream: StandardStream) -> Bool {
    isTerminal(stream.descriptor)
  }

  /// In columns; `nil` if the stream is not a terminal or the width is unknown.
  package static func width(of stream: StandardStream) -> Int? { width(of: stream.descriptor) }

  /// In columns; `nil` if unknown.
  package static func width(of descriptor: Int32) -> Int? {
    var size = winsize()
    // A new pseudo-terminal reports 0 columns.
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// In rows; `nil` if the stream is not a terminal or the height is unknown.
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
  /// The sequence that shows the cursor (private mode 25).
  static let showCursor = Array("\u{1B}[?25h".utf8)

  /// In cells; 80 columns and 24 rows if unknown.
  static func size(of descriptor: Int32) -> (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return (80, 24) }
    // A new pseudo-terminal reports 0 for both.
    return (size.ws_col > 0 ? Int(size.ws_col) : 80, size.ws_row > 0 ? Int(size.ws_row) : 24)
  }

  /// Whether this program's job is in the foreground of the terminal.
  static func isInForeground(_ descriptor: Int32) -> Bool {
    let group = tcgetpgrp(descriptor)
    // If it is not the terminal of this session, there are no other jobs.
    return group < 0 || group == getpgrp()
  }

  /// How long a blocked terminal may delay its restoration.
  static let patience = Duration.milliseconds(100)
}

extension OutputStream {
  /// Writes all bytes to a terminal; ignores a terminal that is gone.
  func draw(_ bytes: [UInt8], on loop: EventLoop) async throws(CancellationError) {
    do {
      try await write(bytes, on: loop)
    } catch {
      if error == .cancelled { throw CancellationError() }
    }
  }
}
