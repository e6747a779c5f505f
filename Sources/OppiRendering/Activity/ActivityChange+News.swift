// SPDX-License-Identifier: MIT

import OppiModel

extension ActivityChange {
  /// Whether the change is news at the moment when it is known, however long ago it came about.
  var isNewsEvenLate: Bool {
    switch self {
    case .turnFinished, .queueDropped, .queueLost, .sessionEnded, .notice: true
    default: false
    }
  }
}
