// SPDX-License-Identifier: MIT

package import OppiModel

package enum ToolRenderers {
  /// To add a renderer, add a file in this folder and a row here.
  package static let all: [any ToolRenderer.Type] = [
    BashRenderer.self,
    ReadRenderer.self,
    WriteRenderer.self,
    EditRenderer.self,
    WebSearchRenderer.self,
    WebFetchRenderer.self,
    TodoRenderer.self,
    AskRenderer.self,
    SpawnAgentRenderer.self,
  ]

  private static let byTool: [String: any ToolRenderer.Type] = Dictionary(
    all.flatMap { renderer in renderer.tools.map { ($0, renderer) } },
    uniquingKeysWith: { first, _ in first }
  )

  package static func renderer(for tool: String) -> any ToolRenderer.Type {
    byTool[tool] ?? DefaultRenderer.self
  }

  /// Returns the tool's name, safe to show.
  package static func name(of call: ToolCallActivity) -> String {
    let name = call.tool.safeLine(limit: 40)
    return name.isEmpty ? "tool" : name
  }

  /// Returns the subject of a call in one line, safe to show; empty if unknown.
  package static func subject(of call: ToolCallActivity) -> String {
    renderer(for: call.tool).subject(of: call).head(bytes: 4096).safeLine()
  }

  /// Returns the name and subject of a call, such as `bash: npm test`.
  package static func title(of call: ToolCallActivity) -> String {
    let subject = subject(of: call)
    return subject.isEmpty ? name(of: call) : "\(name(of: call)): \(subject)"
  }

  /// Returns the result of a call in lines that are safe to show and fit the width.
  package static func rows(for call: ToolCallActivity, width: Int) -> [StyledText] {
    renderer(for: call.tool).rows(for: call).map { row in
      var safe = StyledText()
      for piece in row.pieces {
        safe.append(TextBlock.lines(of: piece.text).joined(separator: " "), piece.style)
      }
      return safe.truncated(to: width)
    }
  }
}
