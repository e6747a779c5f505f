// SPDX-License-Identifier: MIT

package import OppiModel

/// The text of a request for approval, character by character, with its own line breaks.
package enum RequestText {
  private static let indent = "  "
  /// The prefix of a row that continues the previous one.
  private static let continuation = "↪ "

  /// Returns the proposed action and its full contents, in rows of at most `width` columns.
  ///
  /// Contents are indented, and continued rows are marked.
  package static func rows(of request: HumanRequest, width: Int) -> [StyledText] {
    switch request {
    case .permission(let request): rows(of: request, width: width)
    case .question(let question): rows(of: question, width: width)
    }
  }

  /// Returns the proposed action and its full contents, as for any request.
  package static func rows(of request: PermissionRequest, width: Int) -> [StyledText] {
    let head = head(of: request).flatMap { line in
      TextBlock.folded(line.plain, width: max(1, width)).map { StyledText($0, line.style) }
    }
    return head + body(of: request).flatMap { indented($0, width: width) }
  }

  static func rows(ofInput input: JSONValue, to tool: String, width: Int) -> [StyledText] {
    lines(of: RequestPart.all(of: input, to: tool))
      .flatMap { indented($0, width: width) }
  }

  static func indented(_ line: StyledText, width: Int) -> [StyledText] {
    line.cut(to: width, first: StyledText(indent), rest: StyledText(continuation, .dim))
  }

  // MARK: - Description

  private static func head(of request: PermissionRequest) -> [StyledText] {
    let tool = RevealedText(request.tool).line
    var lines = [StyledText("! proposed, not yet run: \(tool.isEmpty ? "a tool" : tool)", .warning)]
    lines.append(
      StyledText(request.risk.statement, request.risk.isHigh ? .error : .warning)
    )
    if let reason = request.reason?.safeLine(limit: 1000), !reason.isEmpty {
      lines.append(StyledText("reason: \(reason)", .warning))
    }
    lines += warnings(of: request).map { StyledText($0, .error) }
    return lines
  }

  /// Warnings about hidden and missing characters.
  package static func warnings(of request: PermissionRequest) -> [String] {
    var warnings: [String] = []
    let hidden = request.hiddenCount
    if hidden > 0 { warnings.append(Self.words(forHidden: hidden)) }
    if !request.isWhole {
      warnings.append("too long to be shown in full; you can only deny it")
    }
    return warnings
  }

  static func words(forHidden count: Int) -> String {
    count == 1
      ? "1 hidden character is shown as \\u{...}"
      : "\(count) hidden characters are shown as \\u{...}"
  }

  // MARK: - Contents

  /// Returns the full contents of the call, in lines of any width, safe to show.
  package static func body(of request: PermissionRequest) -> [StyledText] {
    lines(of: request.parts)
  }

  private static func lines(of parts: [RequestPart]) -> [StyledText] {
    parts.flatMap { part in
      let label = part.label.map { StyledText("\(RevealedText($0).line):", .dim) }
      return [label].compactMap(\.self)
        + RevealedText(part.text).lines.map { line(of: $0, part.kind) }
    }
  }

  static func line(of pieces: [RevealedText.Piece], _ kind: RequestPart.Kind) -> StyledText {
    let style: Style =
      switch kind {
      case .given: .code
      case .removed: .removed
      case .added: .added
      }
    var line = StyledText(kind.mark, style)
    for piece in pieces {
      switch piece {
      case .plain(let text): line.append(text, style)
      case .escape(let text): line.append(text, .warning)
      }
    }
    return line
  }
}

extension StyledText {
  var style: Style { pieces.first?.style ?? .plain }
}
