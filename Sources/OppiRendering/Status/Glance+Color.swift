// SPDX-License-Identifier: MIT

import OppiModel

extension Glance {
  /// The colour of the text for bars without a style sheet, as `#RRGGBB`; `nil` for the bar's own.
  ///
  /// The background is the bar's and not known, so each colour has about the same contrast, at least
  /// 4 to 1, on black and on white. It adds nothing to the symbol and the words.
  var color: String? {
    switch state.status {
    case .awaitingApproval: "#b96a00"
    case .awaitingAnswer: "#b04fd8"
    case .error: "#e0443e"
    case .processing: nil
    case .completed: "#1f8a3f"
    case .idle, .offline, .notPaired: "#767676"
    }
  }
}
