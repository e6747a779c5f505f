// SPDX-License-Identifier: MIT

package enum ApprovalOutcome: String, Sendable, Equatable, CaseIterable {
  case approved
  case denied
  /// No answer arrived in time, which counts as a denial.
  case expired
  /// The session ended before an answer.
  case cancelled

  /// Recognises the server's output for a blocked call; `nil` for any other text.
  init?(refusal text: String) {
    guard let outcome = Self.allCases.first(where: { $0.refusal == text }) else { return nil }
    self = outcome
  }

  /// The server's output for a call that was blocked; `nil` for an approved call.
  var refusal: String? {
    switch self {
    case .approved: nil
    case .denied: "Denied by user"
    case .expired: "Approval timeout"
    case .cancelled: "Session ended"
    }
  }
}
