// SPDX-License-Identifier: MIT

import OppiModel

extension Glance {
  /// The colour for bars without a style sheet, as `#RRGGBB`; `nil` for the bar's default.
  ///
  /// It adds nothing to the symbol and the words.
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
