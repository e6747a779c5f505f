// SPDX-License-Identifier: MIT

package import OppiModel

/// Renders the calls of certain tools.
///
/// The result may contain any text from the server: ``ToolRenderers`` makes it safe and truncates
/// it to the width.
package protocol ToolRenderer: Sendable {
  static var tools: Set<String> { get }
  /// Returns the subject of a call, such as its command or file; empty if unknown.
  static func subject(of call: ToolCallActivity) -> String
  /// Returns the result of a call in a few lines of any width.
  static func rows(for call: ToolCallActivity) -> [StyledText]
}

extension ToolRenderer {
  /// The last lines of the output without blank lines; more while the call is open.
  static func output(of call: ToolCallActivity) -> [StyledText] {
    TextBlock.lastLines(of: call.output.text, count: 20)
      .filter { !$0.allSatisfy(\.isWhitespace) }
      .suffix(call.isOpen ? 5 : 3)
      .map { StyledText($0, .dim) }
  }

  /// The end of the output of a failed call; empty for other calls.
  static func failure(of call: ToolCallActivity) -> [StyledText] {
    call.state == .failed ? output(of: call) : []
  }
}
