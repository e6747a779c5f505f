// SPDX-License-Identifier: MIT

extension Matrix.Part {
  /// The part as it stands in the table.
  package var text: String {
    let longest = entries.map(\.result.elapsed).max() ?? .zero
    let seconds = Int((longest / .seconds(1)).rounded(.up))
    var lines = ["\(plain.cell.invocation.name): \(plain.result.verdict), at most \(seconds) s"]
    var rest = entries[...]
    while let moment = rest.first?.cell.strike?.moment {
      let group = rest.prefix { $0.cell.strike?.moment == moment }
      rest = rest.dropFirst(group.count)
      lines.append("  \(moment.label)")
      lines += Self.results(of: Array(group))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The results at one moment, each with its faults.
  private static func results(of entries: [Matrix.Entry]) -> [String] {
    var faults: [String: [String]] = [:]
    let isRepeated = Dictionary(grouping: entries) { $0.cell.strike?.fault.name }
      .mapValues { Set($0.map(\.result.verdict)).count == 1 }
    for entry in entries {
      guard let strike = entry.cell.strike else { continue }
      let isAlike = isRepeated[strike.fault.name] == true
      if isAlike, strike.isLasting { continue }
      let suffix = isAlike ? "" : strike.isLasting ? " for good" : " once"
      faults[entry.result.verdict, default: []].append(strike.fault.name + suffix)
    }
    return faults.sorted { $0.key < $1.key }
      .map { "    \($0.key): \($0.value.joined(separator: ", "))" }
  }
}
