// SPDX-License-Identifier: MIT

package import OppiModel

/// Shows the calls of some tools.
///
/// What a renderer returns may hold any text of the server: ``ToolRenderers`` makes it safe and
/// cuts it to the width.
package protocol ToolRenderer: Sendable {
  /// The names by which servers call the tools.
  static var tools: Set<String> { get }
  /// Returns what a call is about, such as its command or its file; empty where that is unknown.
  static func subject(of call: ToolCallActivity) -> String
  /// Returns what a call has brought, in few lines of any width.
  static func rows(for call: ToolCallActivity) -> [StyledText]
}

extension ToolRenderer {
  /// The end of what the tool has printed, without blank lines: more of it while it runs.
  static func output(of call: ToolCallActivity) -> [StyledText] {
    TextBlock.lastLines(of: call.output.text, count: 20)
      .filter { !$0.allSatisfy(\.isWhitespace) }
      .suffix(call.isOpen ? 5 : 3)
      .map { StyledText($0, .dim) }
  }

  /// What the tool has printed where that says why it failed, else nothing.
  static func failure(of call: ToolCallActivity) -> [StyledText] {
    call.state == .failed ? output(of: call) : []
  }
}
