// SPDX-License-Identifier: MIT

extension String {
  func lineDefects(of subject: String, limit: Int = 60) -> [String] {
    var defects: [String] = []
    if isEmpty { defects.append("\(subject) is empty") }
    if count > limit { defects.append("\(subject) is longer than \(limit) columns") }
    if hasSuffix(".") { defects.append("\(subject) ends with a full stop") }
    if contains(where: \.isNewline) { defects.append("\(subject) has several lines") }
    return defects
  }

  /// Whether the text is legal as the name of a command or an argument.
  var isLegalName: Bool {
    !isEmpty && !hasPrefix("-")
      && allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_".contains($0) }
  }

  var isTooWide: Bool { split(separator: "\n").contains { $0.count > 80 } }

  var namedOptions: [String] {
    split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")) }
      .filter { $0.hasPrefix("--") && $0.dropFirst(2).first?.isLetter == true }
      .map(String.init)
  }
}

extension Sequence where Element: Hashable {
  /// Every occurrence of an element after its first.
  var repeated: [Element] {
    var seen: Set<Element> = []
    return filter { !seen.insert($0).inserted }
  }
}
