// SPDX-License-Identifier: MIT

import OppiModel

/// Editing a file: its path and how many lines come and go.
enum EditRenderer: ToolRenderer {
  static let tools: Set = ["edit"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    return call.lineChange.map { "\(path) (+\($0.added) -\($0.removed))" } ?? path
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    failure(of: call)
  }

  /// The path, and of each edit the old text and the new one.
  static func request(_ input: JSONValue) -> [RequestPart] {
    var parts: [RequestPart] = []
    for part in RequestPart.all(of: input, leading: ["path", "edits", "oldText", "newText"]) {
      switch part.label {
      case "oldText": parts.append(change(part.text, .removed))
      case "newText": parts.append(change(part.text, .added))
      case "edits":
        parts += input["edits"].array.map { $0.flatMap(request) } ?? [part]
      default: parts.append(part)
      }
    }
    return parts
  }

  private static func change(_ text: String, _ kind: RequestPart.Kind) -> RequestPart {
    RequestPart(text: text, kind: kind)
  }
}
