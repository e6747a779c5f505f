// SPDX-License-Identifier: MIT

import OppiModel

/// Shell commands: the command, the end of its output, and its exit code.
enum BashRenderer: ToolRenderer {
  static let tools: Set = ["bash", "run_bash", "shell"]

  /// The server's text at the end of the output of a failed command.
  private static let exitMark = "Command exited with code "

  static func subject(of call: ToolCallActivity) -> String {
    call.arguments["command"].string ?? ""
  }

  static func rows(for call: ToolCallActivity) -> [StyledText] {
    var rows = output(of: call)
    if let last = rows.last?.plain, last.hasPrefix(exitMark) {
      rows[rows.count - 1] = StyledText("exit \(last.dropFirst(exitMark.count))", .error)
    }
    if call.output.isTruncated { rows.insert(StyledText(size(of: call.output), .dim), at: 0) }
    return rows
  }

  private static func size(of output: ToolOutputText) -> String {
    let lines = output.totalLines.map { "\($0) lines, " } ?? ""
    return "… the end of \(lines)\(output.totalBytes) bytes:"
  }
}
