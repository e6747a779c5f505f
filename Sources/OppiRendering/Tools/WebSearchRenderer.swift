// SPDX-License-Identifier: MIT

import OppiModel

/// Web searches: the query, the number of results and the first titles.
enum WebSearchRenderer: ToolRenderer {
  static let tools: Set = ["web_search"]

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["query"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    let results = call.details["results"].array ?? []
    guard call.state == .succeeded,
      let count = call.details["resultCount"].int ?? (results.isEmpty ? nil : results.count)
    else { return output(of: call) }
    let titles = results.prefix(3).compactMap { $0["title"].string ?? $0["url"].string }
    return [StyledText(count.counted("result"))]
      + titles.map { StyledText($0, .dim) }
  }
}
