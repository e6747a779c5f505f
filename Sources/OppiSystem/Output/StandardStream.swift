// SPDX-License-Identifier: MIT

import Glibc

package enum StandardStream: Sendable {
  case input
  case output
  case errors

  package var descriptor: Int32 {
    switch self {
    case .input: STDIN_FILENO
    case .output: STDOUT_FILENO
    case .errors: STDERR_FILENO
    }
  }
}
