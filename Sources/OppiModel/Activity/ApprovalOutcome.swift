// SPDX-License-Identifier: MIT

/// What became of a permission request.
package enum ApprovalOutcome: String, Sendable, Equatable, CaseIterable {
  case approved
  case denied
  /// Nobody answered in time, which is a denial.
  case expired
  /// The session ended first.
  case cancelled

  /// Reads the words that the server puts in place of the output of a call that was held back;
  /// `nil` for any other output.
  init?(refusal text: String) {
    guard let outcome = Self.allCases.first(where: { $0.refusal == text }) else { return nil }
    self = outcome
  }

  /// The server's words for a call that was held back; `nil` for one that was not.
  var refusal: String? {
    switch self {
    case .approved: nil
    case .denied: "Denied by user"
    case .expired: "Approval timeout"
    case .cancelled: "Session ended"
    }
  }
}
