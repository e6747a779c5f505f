// SPDX-License-Identifier: MIT

import Glibc

/// A system call's failure.
package struct SystemError: Error, Equatable {
  /// The call, as its manual page is named.
  package let call: String
  /// The `errno` that it left.
  package let code: Int32

  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }
}

extension SystemError {
  /// Whether the user may not do it.
  package var isRefusal: Bool { code == EACCES || code == EPERM }

  /// Whether there is no room on the disk, or none left for the user.
  package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}

extension SystemError: CustomStringConvertible {
  /// The system's words for the failure, lower case: `connection refused`.
  package var description: String {
    let text = String(cString: strerror(code))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
