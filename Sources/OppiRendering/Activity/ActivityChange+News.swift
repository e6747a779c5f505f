// SPDX-License-Identifier: MIT

import OppiModel

extension ActivityChange {
  /// Whether the change is news when it is received, even if it occurred earlier.
  var isNewsEvenLate: Bool {
    switch self {
    case .turnFinished, .queueDropped, .queueLost, .sessionEnded, .notice: true
    default: false
    }
  }
}
