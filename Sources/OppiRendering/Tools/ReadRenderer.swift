// SPDX-License-Identifier: MIT

import OppiModel

/// File reads: the path, and the range of lines if given.
enum ReadRenderer: ToolRenderer {
  static let tools: Set = ["read"]

  static func subject(of call: ToolCallActivity) -> String {
    let path = call.arguments["path"].string ?? ""
    let first = call.arguments["offset"].int
    let count = call.arguments["limit"].int
    switch (first, count) {
    case (let first?, let count?):
      return "\(path) (lines \(first) to \(first + count - 1))"
    case (let first?, nil): return "\(path) (from line \(first))"
    case (nil, let count?): return "\(path) (the first \(count) lines)"
    case (nil, nil): return path
    }
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    failure(of: call)
  }
}
