// SPDX-License-Identifier: MIT

extension ArgumentSpec {
  /// The argument in a usage line, such as `[PROMPT...]`.
  var usage: String { isRequired ? term : "[\(term)]" }

  /// The argument in a list of arguments.
  var helpRow: (term: String, meaning: String) {
    (term, notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))")
  }

  private var term: String {
    if role.isPositional { return placeholder + (isRepeatable ? "..." : "") }
    let long = negatedLabel == nil ? label : "--[no-]\(name)"
    let start = short.map { "-\($0), " } ?? "    "
    return start + long + (placeholder.isEmpty ? "" : " \(placeholder)")
  }
}
