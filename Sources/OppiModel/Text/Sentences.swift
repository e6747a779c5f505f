// SPDX-License-Identifier: MIT

extension String {
  /// The text followed by another one; a mark such as `: ` between them is only a space if the text
  /// ends with a punctuation mark of its own.
  package func joined(by mark: String, to next: String) -> String {
    last.map { ".?!:;…".contains($0) } == true ? "\(self) \(next)" : "\(self)\(mark)\(next)"
  }
}

extension Sequence<String> {
  /// The texts as one; see ``Swift/String/joined(by:to:)``.
  package func sentence(by mark: String = "; ") -> String {
    reduce(into: "") { $0 = $0.isEmpty ? $1 : $0.joined(by: mark, to: $1) }
  }
}
