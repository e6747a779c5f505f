// SPDX-License-Identifier: MIT

struct HeadParser<Line: StartLine>: Sendable {
  private(set) var startLine: Line?
  private var fields: FieldSection

  init(limits: HTTPLimits) {
    fields = FieldSection(
      maxBytes: limits.headBytes,
      maxLines: limits.headerLines,
      tooLarge: .headTooLarge
    )
  }

  /// Consumes the available input; returns the head when it is complete.
  mutating func read(
    from input: inout InputBuffer
  ) throws(HTTPError) -> (Line, HTTPHeaders)? {
    if startLine == nil {
      guard Line.canBegin(with: input.unread) else { throw .notHTTP }
      guard let line = try fields.takeLine(from: &input) else { return nil }
      startLine = try Line(parsing: line)
    }
    guard let startLine, try fields.read(from: &input) else { return nil }
    return (startLine, fields.headers)
  }
}
