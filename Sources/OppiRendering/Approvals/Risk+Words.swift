// SPDX-License-Identifier: MIT

package import OppiModel

extension Risk {
  /// The estimate in everyday words; programs get ``Risk/word``.
  package var label: String {
    switch self {
    case .read: "reads data"
    case .write: "makes changes"
    case .exfiltration: "sends data"
    case .destructive: "deletes data"
    case .high: "high risk"
    }
  }

  /// The estimate as a statement of its own, for example `risk: deletes data`.
  package var statement: String { self == .high ? label : "risk: \(label)" }
}

extension PendingApproval {
  /// The risk of a call, or what a dialog needs, as a symbol and words.
  package var mark: StatusMark {
    guard riskWord != nil else {
      return StatusMark("?", kind.isDecision ? "needs approval" : "needs an answer", .warning)
    }
    return switch risk {
    case .high, .destructive: StatusMark("▲", risk.label, .error)
    case .exfiltration, .write: StatusMark("!", risk.label, .warning)
    case .read: StatusMark("·", risk.label, .dim)
    }
  }

  /// The tool and its call, or the text of a dialog.
  package var call: String { kind == .permission ? "\(tool): \(summary)" : summary }

  /// The risk of a call as a statement; `nil` for a dialog, of which only a text is known.
  package var riskStatement: String? { riskWord == nil ? nil : risk.statement }
}
