// SPDX-License-Identifier: MIT

import OppiClient
import OppiText

struct Finding: Sendable, Equatable {
  /// From best to worst.
  enum Gravity: String, Sendable, CaseIterable {
    /// Everything is in order.
    case ok
    /// Not a problem, but possibly of interest.
    case note
    /// Works, but not in every case.
    case warning
    case fault
  }

  var gravity: Gravity
  var check = ""
  /// One line, safe to show.
  var message: String
  /// Suggested fixes, one sentence each.
  var hints: [String] = []
  /// The error code of a fault, which sets the exit status.
  var code: OppiError.Code?

  /// The finding as one of a check.
  func of(_ check: String) -> Finding {
    var finding = self
    finding.check = check
    return finding
  }

  static func ok(_ message: String) -> Finding { Finding(gravity: .ok, message: message) }

  static func note(_ message: String, hints: [String] = []) -> Finding {
    Finding(gravity: .note, message: message, hints: hints)
  }

  static func warning(_ message: String, hints: [String] = []) -> Finding {
    Finding(gravity: .warning, message: message, hints: hints)
  }

  static func fault(_ error: OppiError) -> Finding {
    Finding(gravity: .fault, message: error.message, hints: error.hints, code: error.code)
  }

  static func fault(_ error: any Error) -> Finding { fault(OppiError(error)) }

  static func fault(_ code: OppiError.Code, _ message: String, hints: [String] = []) -> Finding {
    fault(OppiError(code, message, hints: hints))
  }

  /// A hint for everything that runs while nobody is logged in.
  static let lingering = "enable it permanently: loginctl enable-linger"
}

extension Finding {
  static let record = RecordShape(
    Finding(gravity: .ok, message: ""),
    [
      .required("check", { $1(&$0.check) }, .text).means("The check"),
      .required("state", { $1(&$0.gravity) }, .word)
        .means(Gravity.allCases.map(\.rawValue).joined(separator: ", ")),
      .required("message", { $1(&$0.message) }, .text).means("The finding"),
      .defaulted("hints", { $1(&$0.hints) }, .list(of: .text)).means("Suggested fixes"),
      .optional("code", { $1(&$0.code) }, .word).means("The error code of a fault"),
    ]
  )

  static let shape = JSONShape(record)
}
