// SPDX-License-Identifier: MIT

extension Matrix {
  /// Formats the matrix so that a changed verdict is a changed line.
  package static func table(of parts: [Part]) -> String {
    let count = parts.reduce(0) { $0 + $1.entries.count }
    let head = """
      \(count) cells: each command of the network at each moment of its conversation under each fault.

      A moment has a line for each verdict, the exit status with the machine's words, and the faults \
      that lead to it: "once" or "for good" where that makes a difference.


      """
    return head + parts.map(\.text).joined(separator: "\n")
  }

  /// Parses the verdicts of a table, by the names of the cells.
  package static func verdicts(in table: String) -> [String: String] {
    var verdicts: [String: String] = [:]
    var (invocation, moment) = ("", "")
    for line in table.split(separator: "\n") {
      let depth = line.prefix { $0 == " " }.count
      let parts = line.dropFirst(depth).split(separator: ": ", maxSplits: 1).map(String.init)
      switch depth {
      case 0: invocation = parts[0]
      case 2: moment = parts[0]
      default:
        for fault in (parts.last ?? "").split(separator: ", ").map(String.init) {
          let name = "\(invocation) / \(moment) / \(fault)"
          if fault.hasSuffix(Suffix.once) {
            verdicts[String(name.dropLast(Suffix.once.count))] = parts[0]
          } else {
            verdicts[name] = parts[0]
            if !fault.hasSuffix(Suffix.forGood) { verdicts[name + Suffix.forGood] = parts[0] }
          }
        }
      }
    }
    return verdicts
  }

  fileprivate enum Suffix {
    static let once = " once"
    static let forGood = " for good"
  }
}

extension Matrix.Part {
  /// The part's section of the table.
  package var text: String {
    let longest = entries.map(\.result.elapsed).max() ?? .zero
    let seconds = Int((longest / .seconds(1)).rounded(.up))
    var lines = ["\(plain.cell.invocation.name): \(plain.result.verdict), at most \(seconds) s"]
    var rest = entries[...]
    while let moment = rest.first?.cell.strike?.moment {
      let group = rest.prefix { $0.cell.strike?.moment == moment }
      rest = rest.dropFirst(group.count)
      lines.append("  \(moment.label)")
      lines += Self.verdicts(of: Array(group))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Formats the verdicts at one moment, each with its faults.
  private static func verdicts(of entries: [Matrix.Entry]) -> [String] {
    let isAlike = Dictionary(grouping: entries) { $0.cell.strike?.fault.name }
      .mapValues { Set($0.map(\.result.verdict)).count == 1 }
    var faults: [String: [String]] = [:]
    for entry in entries {
      guard let strike = entry.cell.strike else { continue }
      let isOne = isAlike[strike.fault.name] == true
      if isOne, strike.isLasting { continue }
      let suffix = isOne || strike.isLasting ? "" : Matrix.Suffix.once
      let name = isOne ? strike.fault.name : strike.name
      faults[entry.result.verdict, default: []].append(name + suffix)
    }
    return faults.sorted { $0.key < $1.key }
      .map { "    \($0.key): \($0.value.joined(separator: ", "))" }
  }
}
