// SPDX-License-Identifier: MIT

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
}
