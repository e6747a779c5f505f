// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering

struct DoctorReport: Sendable {
  var findings: [Finding]
  /// The environment of `--as`; `nil` for the current one.
  var environment: TriggerEnvironment?

  /// The report, with lines wrapped to the width.
  func report(width: Int) -> Report {
    Report(
      Self.shape.document(of: self),
      .lines(lines.flatMap { $0.line.folded(to: width, indent: $0.indent) }),
      pipe: .table { table },
      status: environment.map { StyledText($0.summary, .dim) },
      failure: failure
    )
  }

  /// Each finding with its hints on the lines below, and the indent of wrapped rows.
  private var lines: [(line: StyledText, indent: Int)] {
    findings.flatMap { finding in
      var line = finding.gravity.mark
      line.append(" \(finding.check): ", .name)
      line.append(finding.message)
      return [(line, 9)] + finding.hints.map { (StyledText("         hint: \($0)", .dim), 15) }
    }
  }

  private var table: Table {
    Table(findings) { finding in
      [
        StyledText(finding.gravity.rawValue), StyledText(finding.check),
        StyledText(finding.message), StyledText(finding.hints.joined(separator: "; ")),
      ]
    }
  }

  private var failure: OppiError? {
    let faults = findings.filter { $0.gravity == .fault }
    guard let first = faults.first else { return nil }
    let place = environment.map { " \($0.trigger.place)" } ?? ""
    return OppiError.faults(faults.count, first.code, place)
  }

  static let shape: JSONShape<DoctorReport> = [
    .list("doctor", formerly: "findings", "The findings", Finding.shape) { $0.findings },
    .object("as", "The environment of --as", TriggerEnvironment.shape) { $0.environment },
  ]
}

extension Finding.Gravity {
  /// The word at the start of a line, padded to a common width.
  fileprivate var mark: StyledText {
    switch self {
    case .ok: StyledText("ok      ", .success)
    case .note: StyledText("note    ", .dim)
    case .warning: StyledText("warning ", .warning)
    case .fault: StyledText("fault   ", .error)
    }
  }
}
