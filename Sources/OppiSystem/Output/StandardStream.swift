// SPDX-License-Identifier: MIT

import Glibc

/// One of the three streams that every program is started with.
package enum StandardStream: Sendable {
  case input
  case output
  case errors

  /// The stream's file descriptor.
  package var descriptor: Int32 {
    switch self {
    case .input: STDIN_FILENO
    case .output: STDOUT_FILENO
    case .errors: STDERR_FILENO
    }
  }
}
