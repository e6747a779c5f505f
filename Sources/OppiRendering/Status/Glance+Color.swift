// SPDX-License-Identifier: MIT

import OppiModel

extension Glance {
  /// The colour for bars that have no style sheet of their own, as `#RRGGBB`.
  ///
  /// `nil` where the bar's is right. It says nothing that the symbol and the words do not say.
  var color: String? {
    switch state.status {
    case .awaitingApproval: "#ff9f0a"
    case .awaitingAnswer: "#bf5af2"
    case .error: "#ff453a"
    case .processing: nil
    case .completed: "#30d158"
    case .idle, .offline, .notPaired: "#8e8e93"
    }
  }
}
