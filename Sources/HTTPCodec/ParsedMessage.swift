// SPDX-License-Identifier: MIT

/// A whole message of either kind.
struct ParsedMessage<Line: StartLine>: Sendable {
  let startLine: Line
  let headers: HTTPHeaders
  var body: [UInt8]
}
