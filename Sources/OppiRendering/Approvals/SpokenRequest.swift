// SPDX-License-Identifier: MIT

package import OppiModel

/// A request for approval as labelled lines for a listener.
///
/// Each line of the call has a label, so that no text of the call can be taken for a line of the
/// program.
package enum SpokenRequest {
  /// The prefix of a row that continues the previous one.
  private static let continuation = StyledText("continued: ", .dim)

  /// Returns the tool, the risk and the full call, in rows of at most `width` columns.
  package static func lines(of request: PermissionRequest, width: Int) -> [StyledText] {
    let tool = RevealedText(request.tool).line
    let body = RequestText.body(of: request)
    let head = [
      "needs approval: \(tool.isEmpty ? "a tool" : tool)", body.count.counted("line"),
      request.risk.statement,
    ]
    let reason = request.reason?.safeLine(limit: 1000) ?? ""
    let more =
      (reason.isEmpty ? [] : ["reason: \(reason)"])
      + RequestText.warnings(of: request).map { "warning: \($0)" }
    let prose = [head.joined(separator: ", ")] + more
    return prose.flatMap { StyledText($0).folded(to: width, indent: 2) }
      + numbered(body, width: width)
  }

  /// Returns lines with their numbers; a line that is too long is continued, and nothing is dropped.
  package static func numbered(_ lines: [StyledText], width: Int) -> [StyledText] {
    lines.enumerated().flatMap { index, line in
      let label = StyledText(lines.count == 1 ? "call: " : "line \(index + 1): ", .dim)
      return width == .max
        ? [label.with(line)] : line.cut(to: width, first: label, rest: continuation)
    }
  }

  /// Returns when a request expires, and its id.
  package static func end(of request: PermissionRequest) -> [String] {
    let time = request.timeoutAt.map { "; denied without a decision at \($0.iso8601)" } ?? ""
    return ["end of request \(request.id.safeLine())\(time)"]
  }
}
