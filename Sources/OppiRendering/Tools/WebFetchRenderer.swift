// SPDX-License-Identifier: MIT

import OppiModel

/// Page fetches: the address, the HTTP status and the beginning of the page.
enum WebFetchRenderer: ToolRenderer {
  static let tools: Set = ["web_fetch", "web_summarize"]

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["url"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    let status = call.details["status"].int ?? call.details["statusCode"].int
    let heading = status.map { [StyledText("status \($0)")] } ?? []
    // Only the end of a long page is kept.
    if call.output.isTruncated {
      return heading + [StyledText("\(call.output.totalBytes) bytes", .dim)]
    }
    let lines = TextBlock.lines(of: call.output.text.head(bytes: 4096))
    let snippet = lines.lazy.filter { !$0.allSatisfy(\.isWhitespace) }.prefix(2)
    return heading + snippet.map { StyledText($0, .dim) }
  }
}
