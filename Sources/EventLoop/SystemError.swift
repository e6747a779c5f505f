// SPDX-License-Identifier: MIT

import Glibc

package struct SystemError: Error, Equatable {
  /// The name of the call's manual page.
  package let call: String
  /// The value of `errno`.
  package let code: Int32

  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }
}

extension SystemError {
  /// Whether the error is missing permission.
  package var isRefusal: Bool { code == EACCES || code == EPERM }

  /// Whether a folder was read as a file.
  package var isFolder: Bool { code == EISDIR }

  /// Whether the disk or the user's quota is full.
  package var isDiskFull: Bool { code == ENOSPC || code == EDQUOT }
}

extension SystemError: CustomStringConvertible {
  /// The system's error message in lower case: `connection refused`.
  package var description: String {
    let text = String(cString: strerror(code))
    return text.prefix(1).lowercased() + text.dropFirst()
  }
}
