// SPDX-License-Identifier: MIT

/// A part of a tool call as shown for a decision.
package struct RequestPart: Sendable, Equatable {
  package enum Kind: Sendable {
    case given
    /// Text that an edit removes.
    case removed
    /// Text that an edit adds.
    case added

    /// The prefix of each line of the part.
    package var mark: String {
      switch self {
      case .given: ""
      case .removed: "- "
      case .added: "+ "
      }
    }
  }

  /// The name of the part; `nil` for the main part.
  package var label: String?
  /// The server's own text, in full and not made safe to show.
  package var text: String
  package var kind = Kind.given

  /// Returns all parts of a call's input; no part of the input is left out.
  package static func all(of input: JSONValue, to tool: String) -> [RequestPart] {
    switch tool {
    case "bash", "run_bash", "shell": all(of: input, leading: ["command"])
    case "write": all(of: input, leading: ["path", "content"])
    case "edit": edit(input)
    default: all(of: input)
    }
  }

  /// All members of an input: the `leading` ones first, then the others sorted by name.
  ///
  /// The first leading member has no label.
  private static func all(of input: JSONValue, leading: [String] = []) -> [RequestPart] {
    guard let members = input.object else {
      return input == .null ? [] : [RequestPart(text: input.ownText)]
    }
    let first = leading.compactMap { name in members[name].map { (key: name, value: $0) } }
    let others = members.filter { !leading.contains($0.key) }.sorted { $0.key < $1.key }
    return (first + others).map { name, value in
      RequestPart(label: name == leading.first ? nil : name, text: value.ownText)
    }
  }

  /// The path, and the old and new text of each edit.
  private static func edit(_ input: JSONValue) -> [RequestPart] {
    var parts: [RequestPart] = []
    for part in all(of: input, leading: ["path", "edits", "oldText", "newText"]) {
      switch part.label {
      case "oldText": parts.append(RequestPart(text: part.text, kind: .removed))
      case "newText": parts.append(RequestPart(text: part.text, kind: .added))
      case "edits": parts += input["edits"].array.map { $0.flatMap(edit) } ?? [part]
      default: parts.append(part)
      }
    }
    return parts
  }
}

extension PermissionRequest {
  /// All parts of the call; the server's summary if it has no input.
  package var parts: [RequestPart] {
    let parts = RequestPart.all(of: input, to: tool)
    return parts.isEmpty ? [RequestPart(text: summary)] : parts
  }

  /// The whole call in lines of any length, safe to show.
  package var lines: [String] {
    parts.flatMap { part in
      let label = part.label.map { "\(RevealedText($0).line):" }
      return [label].compactMap(\.self) + RevealedText(part.text).plain.map { part.kind.mark + $0 }
    }
  }

  /// The number of invisible characters in the request, which are shown as escapes.
  package var hiddenCount: Int {
    parts.reduce(RevealedText(tool).escapeCount) { count, part in
      count + RevealedText(part.text).escapeCount + RevealedText(part.label ?? "").escapeCount
    }
  }

  private static let lineLimit = 2000

  /// The whole call on one line; a long one is cut, with the number of missing characters.
  package var line: String {
    let text = parts.map { part in
      (part.label.map { "\(RevealedText($0).line): " } ?? "") + RevealedText(part.text).line
    }
    .sentence()
    let missing = text.count - Self.lineLimit
    return missing > 0 ? "\(text.prefix(Self.lineLimit))… (\(missing) more characters)" : text
  }
}
