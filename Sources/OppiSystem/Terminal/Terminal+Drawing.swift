// SPDX-License-Identifier: MIT

import Glibc

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

  /// Writes all bytes, waiting where the descriptor does not; a terminal that is gone gets none.
  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        var writable = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&writable, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }
}
